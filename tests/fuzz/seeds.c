/* Makes the kept inputs that are not text: seeds FOLDER writes FOLDER/field/good-plain.h5 and so on.
 *
 * Those that this program can no longer read, because a format has changed, are to be made anew by it. */
#include <hdf5.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/cost/tuning.h"
#include "config/config.h"
#include "fuzz/fuzz.h"
#include "io/h5_put.h"
#include "output/checkpoint/checkpoint.h"
#include "output/field/snapshots.h"
#include "output/output.h"
#include "run/job.h"

static const char *folder;

static const char *place(const char *kind, const char *name)
{
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, kind);
  (void)mkdir(path, 0755);
  snprintf(path, sizeof path, "%s/%s/%s", folder, kind, name);
  return path;
}

static void must(int fine, const char *what)
{
  if (fine) return;
  fprintf(stderr, "seeds: %s failed\n", what);
  exit(1);
}

/* --- whole runs ------------------------------------------------------------------------------ */

/* Checkpoints are taken until the one that is kept. */
struct keeping {
  struct hs_checkpoint_keeper keeper;
  int left;
};

static bool due(void *context)
{
  return ((struct keeping *)context)->left > 0;
}

static hs_status keep(void *context, const struct hs_checkpoint *checkpoint, struct hs_error *err)
{
  struct keeping *keeping = context;
  keeping->left--;
  return keeping->keeper.write(keeping->keeper.context, checkpoint, err);
}

/* Holds up a run over time at its third snapshot for as long as it takes to an event, at which a checkpoint is due. */
struct watch {
  struct hs_snapshot_taker taker;
  int taken;
};

static hs_status take(void *context, const struct hs_snapshot *snapshot, struct hs_error *err)
{
  struct watch *watch = context;
  if (++watch->taken == 3) usleep(200000);
  return watch->taker.take(watch->taker.context, snapshot, err);
}

/* Costs by which a sweep takes a second, so that a run looks for events after few of them. */
static void costs_raise(struct hs_tuning *tuning)
{
  struct hs_error err = {0};
  for (int kind = 0; kind < HS_TUNING_KINDS; kind++)
    must(!hs_tuning_add(tuning, "cpu-reference", (enum hs_tuning_kind)kind, false, 1.0, 1.0, &err), err.text);
}

static void run_make(int which)
{
  static const volatile sig_atomic_t nothing_asked = 0;
  static const char *const names[FUZZ_PROBLEMS] = {"good-steady.h5", "good-transient.h5"};
  struct hs_config *config = fuzz_config(fuzz_problem(which));
  struct hs_error err = {0};
  struct hs_job job;
  struct hs_result result;
  struct hs_checkpoints *checkpoints = NULL;
  struct hs_snapshots *snapshots = NULL;
  struct watch watch = {.taken = 0};
  const struct hs_snapshot_taker taker = {take, &watch};
  struct keeping keeping;
  struct hs_tuning slow = {.count = 0};
  must(!hs_job_prepare(config, NULL, &job, &err), err.text);
  costs_raise(&slow);
  job.options.tuning = &slow;
  must(!hs_checkpoints_create(&job, &nothing_asked, false, false, NULL, &checkpoints, &err), err.text);
  must(!hs_snapshots_create(job.problem, "", &snapshots, &err), err.text);
  keeping = (struct keeping){hs_checkpoints_keeper(checkpoints), 3};
  job.keeper = (struct hs_checkpoint_keeper){due, keep, &keeping};
  watch.taker = hs_snapshots_taker(snapshots);
  must(!hs_job_run(&job, job.backend, NULL, snapshots ? &taker : NULL, &result, &err), err.text);
  must(!hs_snapshots_finish(snapshots, &err), err.text);
  if (!snapshots) must(!hs_output_h5_write(place("field", names[which]), &result, &err), err.text);
  must(!rename(fuzz_path(hs_checkpoint_name(0)), place("checkpoint", names[which])), "rename");
  if (snapshots) must(!rename(fuzz_path("snapshots.h5"), place("field", "good-snapshots.h5")), "rename");
  hs_snapshots_destroy(snapshots);
  hs_checkpoints_destroy(checkpoints);
  free(slow.curve);
  hs_result_clear(&result);
  hs_job_clear(&job);
  hs_config_destroy(config);
}

/* --- HDF5 files of other programs ------------------------------------------------------------ */

static const double numbers[20] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0};

static hid_t file_make(const char *kind, const char *name, bool latest)
{
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  hid_t file;
  if (latest) must(H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0, "libver");
  file = H5Fcreate(place(kind, name), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  must(file >= 0, name);
  H5Pclose(access);
  return file;
}

/* Rows x columns numbers in chunks of 2 x 2, through filters. */
static hid_t chunked(hid_t file, const char *name, hsize_t rows, hsize_t columns)
{
  const hsize_t size[2] = {rows, columns}, chunk[2] = {2, 2};
  const hid_t space = H5Screate_simple(2, size, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
  hid_t dataset;
  must(H5Pset_chunk(how, 2, chunk) >= 0 && H5Pset_shuffle(how) >= 0 && H5Pset_deflate(how, 9) >= 0 &&
           H5Pset_fletcher32(how) >= 0,
       "filters");
  dataset = H5Dcreate2(file, name, H5T_IEEE_F32BE, space, H5P_DEFAULT, how, H5P_DEFAULT);
  must(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0, "write");
  H5Pclose(how);
  H5Sclose(space);
  return dataset;
}

static void maps_make(bool latest)
{
  const hsize_t cells[2] = {3, 4}, nodes[2] = {4, 5};
  const hid_t file = file_make("map", latest ? "good-latest.h5" : "good-plain.h5", latest);
  const hid_t group = H5Gcreate2(file, "maps", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (latest)
    H5Dclose(chunked(file, "k", 3, 4));
  else
    H5Dclose(hs_h5_put_dataset(file, "k", 2, cells, H5T_STD_I16LE, H5T_NATIVE_DOUBLE, numbers, "W/(m K)"));
  H5Dclose(hs_h5_put_dataset(group, "q", 2, cells, H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, numbers, "W/m3"));
  must(H5Lcreate_soft("maps/t", file, "temperature", H5P_DEFAULT, H5P_DEFAULT) >= 0, "link");
  H5Dclose(hs_h5_put_dataset(group, "t", 2, nodes, H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, numbers, "K"));
  H5Gclose(group);
  H5Fclose(file);
}

static void fields_make(void)
{
  const hid_t file = file_make("field", "good-filters.h5", true);
  const hid_t dataset = chunked(file, "temperature", 4, 5);
  hs_h5_put_text(dataset, "units", "degC");
  H5Dclose(dataset);
  H5Dclose(hs_h5_put_column(file, "x", 5, numbers, "m"));
  H5Dclose(hs_h5_put_column(file, "y", 4, numbers, "m"));
  H5Fclose(file);
}

/* --- pictures -------------------------------------------------------------------------------- */

/* 8 x 6 pixels of white, with a diagonal of black. */
static void picture_make(const char *name, int depth, int type, int interlace)
{
  const png_color colors[2] = {{255, 255, 255}, {0, 0, 0}};
  const size_t pixel = (size_t)depth / 8 * (type == PNG_COLOR_TYPE_RGB ? 3 : 1);
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct(png);
  FILE *file = fopen(place("png", name), "wb");
  must(file != NULL, name);
  png_init_io(png, file);
  png_set_IHDR(png, info, 8, 6, depth, type, interlace, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (type == PNG_COLOR_TYPE_PALETTE) png_set_PLTE(png, info, colors, 2);
  png_write_info(png, info);
  for (int pass = interlace ? png_set_interlace_handling(png) : 1; pass > 0; pass--)
    for (size_t y = 0; y < 6; y++) {
      unsigned char row[8 * 6];
      memset(row, type == PNG_COLOR_TYPE_PALETTE ? 0 : 255, sizeof row);
      memset(row + y * pixel, type == PNG_COLOR_TYPE_PALETTE ? 1 : 0, pixel);
      png_write_row(png, row);
    }
  png_write_end(png, NULL);
  png_destroy_write_struct(&png, &info);
  fclose(file);
}

int main(int argc, char **argv)
{
  if (argc != 2) return 2;
  folder = argv[1];
  for (int k = 0; k < FUZZ_PROBLEMS; k++) run_make(k);
  maps_make(false);
  maps_make(true);
  fields_make();
  picture_make("good-color.png", 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE);
  picture_make("good-deep.png", 16, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_ADAM7);
  picture_make("good-palette.png", 8, PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE);
  return 0;
}
