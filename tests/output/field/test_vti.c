/* The image for VTK: its head, and the numbers behind it as VTK finds them. */
#include "output/fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "output/output.h"

/* Where an array's numbers begin, as its offset says, and how many bytes the file says they have. */
static const char *array_find(const char *text, const char *name, uint64_t *bytes)
{
  char wanted[64];
  const char *array, *offset, *data = strstr(text, "<AppendedData encoding=\"raw\">\n_");
  snprintf(wanted, sizeof wanted, "Name=\"%s\"", name);
  array = strstr(text, wanted);
  if (!array || !data) return NULL;
  offset = strstr(array, "offset=\"");
  assert_non_null(offset);
  data = strchr(data, '_') + 1 + strtoull(offset + 8, NULL, 10);
  memcpy(bytes, data, sizeof *bytes);
  return data + sizeof *bytes;
}

/* The whole file, with a 0 behind it. */
static char *file_get(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  char *text;
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  *size = (size_t)ftell(file);
  rewind(file);
  text = calloc(*size + 1, 1);
  assert_non_null(text);
  assert_int_equal(fread(text, 1, *size, file), *size);
  fclose(file);
  return text;
}

static void test_vti_holds_the_bits_of_the_field(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  const char *array;
  uint64_t bytes;
  size_t size;
  char *text;
  (void)state;
  fixture_fill(&fixture);
  fixture.field_k[4] = NAN;
  assert_int_equal(hs_output_vti_write(test_folder_path("a.vti"), &fixture.result, &err), HS_OK);
  text = file_get(test_folder_path("a.vti"), &size);
  assert_non_null(
      strstr(text, "WholeExtent=\"0 6 0 4 0 0\" Origin=\"0 0 0\" Spacing=\"0.25 0.10000000000000001 0.25\""));
  array = array_find(text, "temperature", &bytes);
  assert_non_null(array);
  assert_int_equal(bytes, sizeof fixture.field_k);
  assert_memory_equal(array, fixture.field_k, sizeof fixture.field_k);
  assert_null(strstr(text, "material"));
  assert_null(strstr(text, "heat_flux"));
  assert_string_equal(array + bytes, "\n  </AppendedData>\n</VTKFile>\n");
  free(text);
}

static void test_vti_has_materials_and_heat_flux_of_cells(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  const char *array;
  float flux[3];
  uint16_t material[(NY - 1) * (NX - 1)];
  uint64_t bytes;
  size_t size;
  char *text;
  (void)state;
  fixture_fill(&fixture);
  fixture_make_two_materials(&fixture);
  fixture.config.solver.precision = HS_SINGLE;
  fixture.config.output.flux = HS_WISH_YES;
  assert_int_equal(hs_output_vti_write(test_folder_path("a.vti"), &fixture.result, &err), HS_OK);
  text = file_get(test_folder_path("a.vti"), &size);
  assert_true(strstr(text, "Name=\"material\"") > strstr(text, "<CellData>"));
  array = array_find(text, "material", &bytes);
  assert_int_equal(bytes, sizeof material);
  memcpy(material, array, sizeof material);
  assert_int_equal(material[0], 0);
  assert_int_equal(material[(NY - 1) * (NX - 1) - 1], 1);
  array = array_find(text, "heat_flux", &bytes);
  assert_int_equal(bytes, (NY - 1) * (NX - 1) * 3 * sizeof *flux);
  memcpy(flux, array, sizeof flux);
  assert_true(
      flux[0] ==
      (float)(-0.5 * ((fixture.field_k[1] - fixture.field_k[0]) + (fixture.field_k[NX + 1] - fixture.field_k[NX])) /
              0.25));
  assert_true(flux[2] == 0.0f);
  assert_true(array + bytes < text + size);
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_vti_holds_the_bits_of_the_field),
      TEST(test_vti_has_materials_and_heat_flux_of_cells),
  };
  return cmocka_run_group_tests_name("vti", tests, NULL, NULL);
}
