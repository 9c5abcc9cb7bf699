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

/* What maps, pictures and tables say is in the stencils, the sources and the first field, but for tables over time. */
static uint64_t contents_digest(const struct hs_job *job)
{
  const struct hs_system *s = job->system;
  const size_t nodes = (size_t)s->nx * (size_t)s->ny;
  uint64_t digest = hs_digest_add(hs_digest_begin(), s->stencil, (size_t)s->table_size * sizeof *s->stencil);
  if (s->index) digest = hs_digest_add(digest, s->index, nodes * sizeof *s->index);
  if (s->source_w_m) digest = hs_digest_add(digest, s->source_w_m, nodes * sizeof *s->source_w_m);
  digest = hs_digest_add(digest, job->initial_k, nodes * sizeof *job->initial_k);
  for (int k = 0; k < job->problem->segment_count; k++) {
    digest = hs_value_digest(job->problem->segments[k].temperature, digest);
    digest = hs_value_digest(job->problem->segments[k].flux, digest);
    digest = hs_value_digest(job->problem->segments[k].h, digest);
  }
  for (int k = 0; k < job->problem->held_count; k++)
    digest = hs_value_digest(job->problem->held[k].temperature, digest);
  return digest;
}

char *hs_checkpoint_identity(const struct hs_job *job, struct hs_error *err)
{
  struct hs_config settled =
      *job->config; /* with the method that the run has, for auto might choose another one later */
  char *keys, *text = NULL;
  settled.solver.method = job->settings.method;
  keys = hs_config_identity(&settled, err);
  if (keys) text = hs_text_format(err, "%s" HS_IDENTITY_CONTENTS " = %016" PRIx64 "\n", keys, contents_digest(job));
  free(keys);
  return text;
}
