/* What many ranks write together is what one process writes: the same numbers, the same pictures. */
#include "output/cut.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/ranks.h"
#include "folder.h"
#include "output/field/snapshots.h"
#include "output/output.h"
#include "output/page/page.h"
#include "output/picture/drawing/drawing.h"
#include "output/picture/temperature/animation.h"
#include "output/picture/temperature/outlines.h"
#include "output/picture/temperature/picture.h"

/* What the ranks of a case share. */
struct scene {
  struct plate_whole whole;
  struct plate_cut cut;
  char path[512], image[512];
  struct hs_runs runs; /* of the whole plate */
};

static int set_up(void **state)
{
  (void)state;
  return test_folder_create("ranks");
}

static int tear_down(void **state)
{
  (void)state;
  return test_folder_remove_all();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static bool same_bytes(const char *path_a, const char *path_b)
{
  FILE *a = fopen(path_a, "rb"), *b = fopen(path_b, "rb");
  int one = 0, two = 0;
  while (a && b && one == two && one != EOF) {
    one = getc(a);
    two = getc(b);
  }
  if (a) fclose(a);
  if (b) fclose(b);
  return a && b && one == two;
}

static void write_field(struct hs_comm *comm, void *context)
{
  struct scene *scene = context;
  struct plate_part part;
  struct hs_error err = {HS_OK, ""};
  hs_status status;
  plate_part_create(&scene->whole, comm, scene->cut.count_x, scene->cut.count_y, &part);
  status = hs_output_h5_write(scene->path, &part.result, &err);
  if (!status) status = hs_output_vti_write(scene->image, &part.result, &err);
  if (status) fprintf(stderr, "%s\n", err.text);
  test_rank_require(comm, status == HS_OK);
  plate_part_destroy(&part);
}

static void test_a_field_is_the_same_file_for_every_cut(void **state)
{
  struct scene scene;
  struct hs_error err = {HS_OK, ""};
  char alone[512], image[512];
  (void)state;
  snprintf(alone, sizeof alone, "%s", test_folder_path("alone.h5"));
  snprintf(image, sizeof image, "%s", test_folder_path("alone.vti"));
  snprintf(scene.image, sizeof scene.image, "%s", test_folder_path("ranks.vti"));
  snprintf(scene.path, sizeof scene.path, "%s", test_folder_path("ranks.h5"));
  for (int k = 0; k < 4; k++) {
    const enum hs_layout layout = k & 1 ? HS_LAYOUT_CELL : HS_LAYOUT_VERTEX;
    struct hs_result result;
    plate_whole_create(&scene.whole, 41, 29, layout, k & 2 ? HS_SINGLE : HS_DOUBLE);
    if (layout == HS_LAYOUT_CELL) scene.whole.config.output.flux = HS_WISH_NO;
    result = plate_result(&scene.whole, scene.whole.problem, scene.whole.field_k);
    test_ok(hs_output_h5_write(alone, &result, &err), &err);
    test_ok(hs_output_vti_write(image, &result, &err), &err);
    for (int c = 0; c < PLATE_CUTS; c++) {
      const char *differs;
      scene.cut = plate_cuts[c];
      test_ranks_run(scene.cut.count_x * scene.cut.count_y, write_field, &scene);
      differs = plate_files_differ(alone, scene.path);
      if (differs) fail_msg("%d x %d parts, case %d: %s differs", scene.cut.count_x, scene.cut.count_y, k, differs);
      if (!same_bytes(image, scene.image))
        fail_msg("%d x %d parts: another image", scene.cut.count_x, scene.cut.count_y);
    }
    plate_whole_destroy(&scene.whole);
  }
}

/* --- pictures ------------------------------------------------------------------------------------ */

static struct hs_picture picture_of(const struct hs_problem *problem, const double *field_k)
{
  struct hs_picture picture = hs_picture_of_config(problem->config, field_k);
  picture.problem = problem;
  return picture;
}

static void draw(struct hs_comm *comm, void *context)
{
  struct scene *scene = context;
  struct plate_part part;
  struct hs_picture picture;
  struct hs_error err = {HS_OK, ""};
  hs_status status;
  plate_part_create(&scene->whole, comm, scene->cut.count_x, scene->cut.count_y, &part);
  picture = picture_of(&part.problem, part.field_k);
  status = hs_output_picture_write(scene->path, &picture, &err);
  if (status) fprintf(stderr, "%s\n", err.text);
  test_rank_require(comm, status == HS_OK);
  plate_part_destroy(&part);
}

static void find_runs(struct hs_comm *comm, void *context)
{
  struct scene *scene = context;
  struct plate_part part;
  struct hs_material_map map;
  struct hs_runs runs = {0};
  struct hs_error err = {HS_OK, ""};
  plate_part_create(&scene->whole, comm, scene->cut.count_x, scene->cut.count_y, &part);
  map = hs_material_map_of(&part.problem);
  test_rank_require(comm, hs_runs_find(&map, &runs, &err) == HS_OK);
  test_rank_require(comm, runs.count == scene->runs.count);
  test_rank_require(comm, memcmp(runs.run, scene->runs.run, (size_t)runs.count * sizeof *runs.run) == 0);
  hs_runs_clear(&runs);
  plate_part_destroy(&part);
}

/* Edges between materials are whole, however the grid is cut. */
static void test_edges_are_the_same_for_every_cut(void **state)
{
  struct scene scene = {.runs = {0}};
  struct hs_error err = {HS_OK, ""};
  struct hs_material_map map;
  (void)state;
  plate_whole_create(&scene.whole, 61, 37, HS_LAYOUT_VERTEX, HS_DOUBLE);
  map = hs_material_map_of(scene.whole.problem);
  test_ok(hs_runs_find(&map, &scene.runs, &err), &err);
  assert_true(scene.runs.count > 50);
  for (int c = 0; c < PLATE_CUTS; c++) {
    scene.cut = plate_cuts[c];
    test_ranks_run(scene.cut.count_x * scene.cut.count_y, find_runs, &scene);
  }
  hs_runs_clear(&scene.runs);
  plate_whole_destroy(&scene.whole);
}

/* The picture of one process, and of each cut from `first` on. */
static void compare_pictures(struct scene *scene, int first, const char *what)
{
  const struct hs_picture picture = picture_of(scene->whole.problem, scene->whole.field_k);
  struct hs_error err = {HS_OK, ""};
  char alone[512];
  snprintf(alone, sizeof alone, "%s", test_folder_path("alone.png"));
  snprintf(scene->path, sizeof scene->path, "%s", test_folder_path("ranks.png"));
  test_ok(hs_output_picture_write(alone, &picture, &err), &err);
  for (int c = first; c < PLATE_CUTS; c += test_every(2)) {
    scene->cut = plate_cuts[c];
    test_ranks_run(scene->cut.count_x * scene->cut.count_y, draw, scene);
    if (!same_bytes(alone, scene->path))
      fail_msg("%s: %d x %d parts draw another picture", what, scene->cut.count_x, scene->cut.count_y);
  }
}

static void test_a_picture_is_the_same_for_every_cut(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    struct scene scene;
    plate_whole_create(&scene.whole, 61, 37, k ? HS_LAYOUT_CELL : HS_LAYOUT_VERTEX, HS_DOUBLE);
    compare_pictures(&scene, k, "few nodes");
    scene.whole.field_k[40] = scene.whole.field_k[1000] = NAN;
    for (int n = 61 * 20 + 3; n < 61 * 20 + 40; n++) scene.whole.field_k[n] = 250.0; /* the middle one is marked */
    for (int j = 5; j < 20; j++) scene.whole.field_k[61 * j + 33] = 340.0;
    compare_pictures(&scene, k, "extremes at many nodes");
    plate_whole_destroy(&scene.whole);
  }
}

static void test_a_picture_of_many_nodes_is_the_same_for_every_cut(void **state)
{
  struct scene scene;
  (void)state;
  plate_whole_create(&scene.whole, 1601, 903, HS_LAYOUT_VERTEX, HS_DOUBLE);
  compare_pictures(&scene, 4, "many nodes");
  scene.whole.field_k[1601 * 600 + 900] = INFINITY;
  compare_pictures(&scene, 6, "many nodes, one of which is not finite");
  plate_whole_destroy(&scene.whole);
}

/* --- the drawing and the page -------------------------------------------------------------------- */

static void draw_problem(struct hs_comm *comm, void *context)
{
  struct scene *scene = context;
  struct plate_part part;
  struct hs_error err = {HS_OK, ""};
  hs_status status;
  plate_part_create(&scene->whole, comm, scene->cut.count_x, scene->cut.count_y, &part);
  status = hs_drawing_write(&part.problem, scene->path, &err);
  if (status) fprintf(stderr, "%s\n", err.text);
  test_rank_require(comm, status == HS_OK);
  plate_part_destroy(&part);
}

static void write_page(struct hs_comm *comm, void *context)
{
  struct scene *scene = context;
  struct plate_part part;
  struct hs_error err = {HS_OK, ""};
  hs_status status;
  plate_part_create(&scene->whole, comm, scene->cut.count_x, scene->cut.count_y, &part);
  status = hs_page_write(scene->path, &part.result, 0, &err);
  if (status) fprintf(stderr, "%s\n", err.text);
  test_rank_require(comm, status == HS_OK);
  plate_part_destroy(&part);
}

/* All of a page but the drawing, in which cairo numbers what it has drawn since the process began. Freed by the caller. */
static char *page_text(const char *path)
{
  static const char key[] = "\"drawing\":\"";
  FILE *file = fopen(path, "rb");
  char *text = calloc(1 << 23, 1), *begin, *end;
  assert_non_null(file);
  assert_non_null(text);
  assert_true(fread(text, 1, (1 << 23) - 1, file) > 0);
  fclose(file);
  begin = strstr(text, key);
  end = begin ? strchr(begin + sizeof key - 1, '"') : NULL;
  assert_non_null(end);
  memmove(begin, end, strlen(end) + 1);
  return text;
}

static bool same_pages(const char *path_a, const char *path_b)
{
  char *a = page_text(path_a), *b = page_text(path_b);
  const bool same = strcmp(a, b) == 0;
  free(a);
  free(b);
  return same;
}

static void test_drawing_and_page_are_the_same_for_every_cut(void **state)
{
  struct scene scene;
  struct hs_error err = {HS_OK, ""};
  struct hs_result result;
  char drawing[512], page[512];
  (void)state;
  snprintf(drawing, sizeof drawing, "%s", test_folder_path("alone.png"));
  snprintf(page, sizeof page, "%s", test_folder_path("alone.html"));
  plate_whole_create(&scene.whole, 703, 405, HS_LAYOUT_VERTEX, HS_DOUBLE);
  result = plate_result(&scene.whole, scene.whole.problem, scene.whole.field_k);
  test_ok(hs_drawing_write(scene.whole.problem, drawing, &err), &err);
  test_ok(hs_page_write(page, &result, 0, &err), &err);
  for (int c = 1; c < PLATE_CUTS; c += 2) {
    const int parts = plate_cuts[c].count_x * plate_cuts[c].count_y;
    scene.cut = plate_cuts[c];
    snprintf(scene.path, sizeof scene.path, "%s", test_folder_path("ranks.png"));
    test_ranks_run(parts, draw_problem, &scene);
    if (!same_bytes(drawing, scene.path)) fail_msg("%d x %d parts", scene.cut.count_x, scene.cut.count_y);
    snprintf(scene.path, sizeof scene.path, "%s", test_folder_path("ranks.html"));
    test_ranks_run(parts, write_page, &scene);
    if (!same_pages(page, scene.path)) fail_msg("page, %d x %d parts", scene.cut.count_x, scene.cut.count_y);
  }
  plate_whole_destroy(&scene.whole);
}

/* --- over time ----------------------------------------------------------------------------------- */

enum { SHOTS = 4 };

/* Snapshots, the second half after they were opened once more; and what is drawn of them. */
static hs_status film(const struct plate_part *part, const char *animation, struct hs_error *err)
{
  static const double time_s[SHOTS] = {0.0, 1.0, 2.5, 4.0};
  const struct hs_problem *problem = &part->problem;
  double *field_k = calloc((size_t)problem->nx * (size_t)problem->ny, sizeof *field_k);
  struct hs_snapshots *snapshots = NULL;
  hs_status status = hs_snapshots_create(problem, "", &snapshots, err);
  for (int k = 0; !status && k < SHOTS; k++) {
    const struct hs_snapshot snapshot = {.time_s = time_s[k], .steps = k, .field_k = field_k};
    struct hs_snapshot_taker taker;
    if (k == SHOTS / 2) {
      hs_snapshots_destroy(snapshots);
      status = hs_snapshots_continue(problem, "", time_s, k, &snapshots, err);
    }
    taker = hs_snapshots_taker(snapshots);
    plate_part_field(part, time_s[k], field_k);
    if (!status) status = taker.take(taker.context, &snapshot, err);
  }
  if (!status) status = hs_snapshots_finish(snapshots, err);
  hs_snapshots_destroy(snapshots);
  if (!status)
    status = hs_animation_write(animation, test_folder_path("snapshots.h5"), problem->config, problem, 0.0, err);
  free(field_k);
  return status;
}

static void film_ranks(struct hs_comm *comm, void *context)
{
  struct scene *scene = context;
  struct plate_part part;
  struct hs_error err = {HS_OK, ""};
  hs_status status;
  plate_part_create(&scene->whole, comm, scene->cut.count_x, scene->cut.count_y, &part);
  status = film(&part, scene->path, &err);
  if (status) fprintf(stderr, "%s\n", err.text);
  test_rank_require(comm, status == HS_OK);
  plate_part_destroy(&part);
}

static void test_snapshots_and_animation_are_the_same_for_every_cut(void **state)
{
  struct scene scene;
  char snapshots[512], alone[512], animation[512];
  (void)state;
  snprintf(snapshots, sizeof snapshots, "%s", test_folder_path("snapshots.h5"));
  snprintf(alone, sizeof alone, "%s", test_folder_path("alone.h5"));
  snprintf(animation, sizeof animation, "%s", test_folder_path("alone.png"));
  plate_whole_create(&scene.whole, 61, 45, HS_LAYOUT_CELL, HS_SINGLE);
  scene.whole.config.time.scheme = HS_SCHEME_BACKWARD_EULER;
  scene.whole.config.time.end_s = 4.0;
  scene.whole.config.time.snapshot_every_s = 1.0;
  scene.whole.config.output.field = true;
  for (int c = 0; c < PLATE_CUTS; c++) {
    const char *differs;
    scene.cut = plate_cuts[c];
    snprintf(scene.path, sizeof scene.path, "%s", c == 0 ? animation : test_folder_path("ranks.png"));
    test_ranks_run(scene.cut.count_x * scene.cut.count_y, film_ranks, &scene);
    if (c == 0) {
      assert_int_equal(rename(snapshots, alone), 0);
      continue;
    }
    differs = plate_files_differ(alone, snapshots);
    if (differs) fail_msg("%d x %d parts: %s differs", scene.cut.count_x, scene.cut.count_y, differs);
    if (!same_bytes(animation, scene.path))
      fail_msg("%d x %d parts: another film", scene.cut.count_x, scene.cut.count_y);
  }
  plate_whole_destroy(&scene.whole);
}

int main(void)
{
  const struct CMUnitTest tests[] = {TEST(test_edges_are_the_same_for_every_cut),
                                     TEST(test_a_field_is_the_same_file_for_every_cut),
                                     TEST(test_a_picture_is_the_same_for_every_cut),
                                     TEST(test_a_picture_of_many_nodes_is_the_same_for_every_cut),
                                     TEST(test_drawing_and_page_are_the_same_for_every_cut),
                                     TEST(test_snapshots_and_animation_are_the_same_for_every_cut)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
