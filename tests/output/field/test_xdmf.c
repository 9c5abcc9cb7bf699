/* The description of the field for ParaView. */
#include "output/fixture.h"

#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "output/output.h"

static void test_xdmf_describes_the_dataset(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  char *text;
  (void)state;
  fixture_fill(&fixture);
  assert_int_equal(hs_output_xdmf_write(test_folder_path("field.xdmf"), "a&b<c>.h5", &fixture.result, &err), HS_OK);
  text = test_file_get(test_folder_path("field.xdmf"));
  assert_non_null(strstr(text, "GridType=\"Collection\" CollectionType=\"Temporal\""));
  assert_non_null(strstr(text, "<Time Value=\"0\"/>"));
  assert_non_null(strstr(text, "TopologyType=\"3DCoRectMesh\" Dimensions=\"1 5 7\""));
  assert_non_null(strstr(text, "0.25 0.10000000000000001 0.25</DataItem>"));
  assert_non_null(strstr(
      text,
      "Dimensions=\"1 5 7\" NumberType=\"Float\" Precision=\"8\" Format=\"HDF\">a&amp;b&lt;c&gt;.h5:/temperature<"));
  free(text);
}

static void test_xdmf_begins_at_the_first_cell_centre(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  char *text;
  (void)state;
  fixture_fill(&fixture);
  assert_int_equal(hs_output_xdmf_write(test_folder_path("field.xdmf"), "field.h5", &fixture.result, &err), HS_OK);
  text = test_file_get(test_folder_path("field.xdmf"));
  assert_non_null(strstr(text, ">0 0 0</DataItem>"));
  free(text);
  fixture.config.grid.layout = HS_LAYOUT_CELL;
  assert_int_equal(hs_output_xdmf_write(test_folder_path("field.xdmf"), "field.h5", &fixture.result, &err), HS_OK);
  text = test_file_get(test_folder_path("field.xdmf"));
  assert_non_null(strstr(text, ">0 0.050000000000000003 0.125</DataItem>"));
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_xdmf_describes_the_dataset),
      TEST(test_xdmf_begins_at_the_first_cell_centre),
  };
  return cmocka_run_group_tests_name("xdmf", tests, NULL, NULL);
}
