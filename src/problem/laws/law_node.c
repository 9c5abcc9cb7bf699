/* The whole law of one node, from cells, sources, walls and held shapes in turn. */
#include "problem/cells/source.h"
#include "problem/laws/laws.h"

hs_status hs_law_at(const struct hs_laws *laws, int i, int j, double time_s, struct hs_node_law *law,
                    struct hs_contacts *contacts, struct hs_error *err)
{
  const struct hs_config *config = laws->problem->config;
  const struct hs_law_node node = {i, j, hs_law_held_by(laws, i, j), time_s};
  hs_status status;
  hs_law_of_cells(laws, i, j, law);
  for (int k = 0; k < config->source_count; k++) {
    struct hs_config_source pieces[HS_SOURCE_PIECES];
    const int count = hs_source_is_painted(config, k) ? 0 : hs_source_pieces(laws->problem, k, pieces);
    for (int piece = 0; piece < count; piece++)
      law->source_w_m += hs_law_source_power(laws, &pieces[piece], hs_law_source_extent(laws, &pieces[piece], true, i),
                                             hs_law_source_extent(laws, &pieces[piece], false, j));
  }
  status = hs_law_add_walls(laws, &node, law, contacts, NULL, err);
  *law = hs_law_tidy(law);
  return status;
}
