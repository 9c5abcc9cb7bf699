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

/* Quadrilaterals carry what belongs to cells; an image of nodes in the vertex layout does not. */
static void test_xdmf_describes_a_mesh(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  char *text;
  (void)state;
  fixture_fill(&fixture);
  fixture_make_two_materials(&fixture);
  fixture.config.output.flux = HS_WISH_AUTO;
  fixture.config.output.xdmf = HS_XDMF_YES;
  assert_int_equal(hs_output_xdmf_write(test_folder_path("field.xdmf"), "field.h5", &fixture.result, &err), HS_OK);
  text = test_file_get(test_folder_path("field.xdmf"));
  assert_non_null(strstr(text, "TopologyType=\"Quadrilateral\" NumberOfElements=\"24\""));
  assert_non_null(strstr(text, ">field.h5:/mesh/points<"));
  assert_non_null(strstr(text, "Name=\"material\" AttributeType=\"Scalar\" Center=\"Cell\""));
  assert_non_null(strstr(text, "Name=\"heat_flux_y\" AttributeType=\"Scalar\" Center=\"Cell\""));
  free(text);
  fixture.config.output.xdmf = HS_XDMF_GRID;
  assert_int_equal(hs_output_xdmf_write(test_folder_path("field.xdmf"), "field.h5", &fixture.result, &err), HS_OK);
  text = test_file_get(test_folder_path("field.xdmf"));
  assert_non_null(strstr(text, "3DCoRectMesh"));
  assert_null(strstr(text, "material"));
  free(text);
  fixture.config.output.xdmf = HS_XDMF_YES;
  fixture.config.grid.nx = fixture.config.grid.ny = 1025; /* too many nodes for a mesh and for the heat flux */
  assert_int_equal(hs_output_xdmf_write(test_folder_path("field.xdmf"), "field.h5", &fixture.result, &err), HS_OK);
  text = test_file_get(test_folder_path("field.xdmf"));
  assert_non_null(strstr(text, "Dimensions=\"1 1025 1025\""));
  assert_null(strstr(text, "heat_flux"));
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_xdmf_describes_the_dataset),
      TEST(test_xdmf_begins_at_the_first_cell_centre),
      TEST(test_xdmf_describes_a_mesh),
  };
  return cmocka_run_group_tests_name("xdmf", tests, NULL, NULL);
}
