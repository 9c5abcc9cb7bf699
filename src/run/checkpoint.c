/* Checkpoints on their way out, and the identity of a problem. */
#include "run/checkpoint.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/memory.h"
#include "base/timer.h"
#include "config/identity.h"
#include "problem/value.h"
#include "run/job.h"

hs_status hs_checkpoint_keep(const struct hs_job *job, const struct hs_checkpoint *checkpoint, struct hs_result *result,
                             struct hs_error *err)
{
  struct hs_error why = {0};
  const double began_s = hs_time_s();
  const hs_status status = job->keeper.write(job->keeper.context, checkpoint, &why);
  result->time_checkpoints_s += hs_time_s() - began_s;
  if (!status) result->checkpoints++;
  if (!status) return HS_OK;
  if (status != HS_ERR_IO && status != HS_ERR_MEMORY) return hs_error_set(err, status, "%s", why.text);
  hs_error_append(&why, " The run went on without this checkpoint");
  if (!hs_warnings_contain(&result->warnings, why.text)) hs_warnings_add(&result->warnings, why.text);
  return HS_OK;
}

double hs_checkpoint_time_s(const struct hs_job *job)
{
  const bool steady = job->config->time.scheme == HS_SCHEME_STEADY;
  return steady ? job->from->steady.solve_s : job->from->transient.so_far.solve_s;
}

int64_t hs_checkpoint_sweeps(const struct hs_job *job)
{
  const bool steady = job->config->time.scheme == HS_SCHEME_STEADY;
  return steady ? job->from->steady.stop.sweeps : job->from->transient.so_far.sweeps;
}

/* Nodes in a row of the grid, of which this rank may have a window. */
static int64_t grid_columns(const struct hs_job *job)
{
  return hs_comm_size(job->subdomain.comm) > 1 ? job->subdomain.partition.grid_nx : job->system->nx;
}

/* Digests of the stencils in the table, to be freed; NULL where each node has its own, and nothing is allocated. */
static hs_status entries_digest(const struct hs_system *s, uint64_t **entries, struct hs_error *err)
{
  hs_status status;
  *entries = NULL;
  if (!s->index) return HS_OK;
  status = hs_array_create((void **)entries, (size_t)s->table_size, sizeof **entries, "a digest of the problem", err);
  for (int k = 0; !status && k < s->table_size; k++)
    (*entries)[k] = hs_digest_add(hs_digest_begin(), &s->stencil[k], sizeof s->stencil[k]);
  return status;
}

/* What is at a node, together with its place in the grid. */
static uint64_t node_digest(const struct hs_job *job, const uint64_t *entries, size_t n, int64_t place)
{
  const struct hs_system *s = job->system;
  uint64_t bits, found;
  found = entries ? entries[s->index[n]] : hs_digest_add(hs_digest_begin(), &s->stencil[n], sizeof s->stencil[n]);
  memcpy(&bits, &job->initial_k[n], sizeof bits);
  found += bits;
  if (s->source_w_m) memcpy(&bits, &s->source_w_m[n], sizeof bits);
  if (s->source_w_m) found = hs_digest_word(found, bits);
  return hs_digest_word(hs_digest_word(hs_digest_begin(), (uint64_t)place), found);
}

/* The sum over the nodes of all ranks: it does not depend on how the grid is cut. */
static hs_status nodes_digest(const struct hs_job *job, uint64_t *digest, struct hs_error *err)
{
  const struct hs_system *s = job->system;
  const struct hs_problem *p = job->problem;
  const struct hs_rectangle own = hs_system_own(s);
  const int64_t columns = grid_columns(job);
  const int ranks = hs_comm_size(job->subdomain.comm);
  uint64_t *entries = NULL, *all = NULL, mine = 0;
  hs_status status = entries_digest(s, &entries, err);
  if (!status) status = hs_array_create((void **)&all, (size_t)ranks, sizeof *all, "a digest of the problem", err);
  status = hs_comm_agree(job->subdomain.comm, status, err);
#pragma omp parallel for schedule(static) reduction(+ : mine)
  for (int j = own.y0; j < own.y0 + (status ? 0 : own.ny); j++)
    for (int i = own.x0; i < own.x0 + own.nx; i++)
      mine +=
          node_digest(job, entries, (size_t)j * (size_t)s->nx + (size_t)i, (p->first_y + j) * columns + p->first_x + i);
  if (!status) status = hs_comm_gather(job->subdomain.comm, &mine, sizeof mine, all, err);
  *digest = 0;
  for (int r = 0; !status && r < ranks; r++) *digest += all[r];
  free(all);
  free(entries);
  return status;
}

/* What maps, pictures and tables say is in the stencils, the sources and the first field, but for tables over time. */
static hs_status contents_digest(const struct hs_job *job, uint64_t *digest, struct hs_error *err)
{
  const hs_status status = nodes_digest(job, digest, err);
  for (int k = 0; k < job->problem->segment_count; k++) {
    *digest = hs_value_digest(job->problem->segments[k].temperature, *digest);
    *digest = hs_value_digest(job->problem->segments[k].flux, *digest);
    *digest = hs_value_digest(job->problem->segments[k].h, *digest);
  }
  for (int k = 0; k < job->problem->held_count; k++)
    *digest = hs_value_digest(job->problem->held[k].temperature, *digest);
  return status;
}

char *hs_checkpoint_identity(const struct hs_job *job, struct hs_error *err)
{
  struct hs_config settled =
      *job->config; /* with the method that the run has, for auto might choose another one later */
  char *keys = NULL, *text = NULL;
  uint64_t digest;
  if (contents_digest(job, &digest, err)) return NULL;
  settled.solver.method = job->settings.method;
  keys = hs_config_identity(&settled, err);
  if (keys) text = hs_text_format(err, "%s" HS_IDENTITY_CONTENTS " = %016" PRIx64 "\n", keys, digest);
  free(keys);
  return text;
}
