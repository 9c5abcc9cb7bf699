/* Which devices hold the grid: those that the configuration names, or one for each rank. */
#include <stdlib.h>
#include <string.h>

#include "backend/distributed/distributed.h"
#include "backend/part.h"
#include "run/job_parts.h"

static hs_status refuse(const struct hs_job *job, const char *why, int there, struct hs_error *err)
{
  return hs_error_set(
      err, HS_ERR_CONFIG,
      "%s: solver.gpus = %s: %s; this machine has %d GPU%s (`heatsolve backends`). Write how many, all, or "
      "numbers from 0 with commas between them",
      job->config->path, job->config->solver.gpus, why, there, there == 1 ? "" : "s");
}

/* GPUs are asked for and there are none: the reason is that of the backends. */
static hs_status none_refuse(const struct hs_job *job, struct hs_error *err)
{
  struct hs_error why = {0};
  const struct hs_backend *backend = hs_backend_find("cuda-global", &why);
  if (backend) (void)backend->probe(NULL, &job->options, &why);
  return hs_error_set(err, HS_ERR_DEVICE, "%s: solver.gpus = %s: no GPU can be used here: %s", job->config->path,
                      job->config->solver.gpus, why.text);
}

/* "0,2": each number once. */
static hs_status numbers_take(struct hs_job *job, int there, struct hs_error *err)
{
  struct hs_spread *spread = &job->options.spread;
  const char *at = job->config->solver.gpus;
  for (;;) {
    char *end;
    const long number = strtol(at, &end, 10);
    if (end == at || (*end && *end != ',') || *at < '0' || *at > '9')
      return refuse(job, "that is no list of numbers", there, err);
    if (there == 0) return none_refuse(job, err);
    if (number >= there) return refuse(job, "it names a GPU that is not there", there, err);
    for (int k = 0; k < spread->device_count; k++)
      if (spread->devices[k] == number) return refuse(job, "it names a GPU twice", there, err);
    if (spread->device_count == HS_DEVICES_MOST) return refuse(job, "it names more than 16 GPUs", there, err);
    spread->devices[spread->device_count++] = (int)number;
    if (!*end) return HS_OK;
    at = end + 1;
  }
}

/* "all", or how many: the first ones. */
static hs_status first_take(struct hs_job *job, int there, struct hs_error *err)
{
  struct hs_spread *spread = &job->options.spread;
  const char *text = job->config->solver.gpus;
  char *end;
  long count = strtol(text, &end, 10);
  if (!strcmp(text, "all"))
    count = there < HS_DEVICES_MOST ? there : HS_DEVICES_MOST;
  else if (*end || end == text || *text < '0' || *text > '9' || count < 1)
    return refuse(job, "that is no number of GPUs", there, err);
  if (count == 0) hs_warnings_add(&job->warnings, "solver.gpus = all, and no GPU can be used here; CPUs do the work");
  if (count > 1 && there == 0) return none_refuse(job, err);
  if (count > 1 && count > there) return refuse(job, "so many are not there", there, err);
  if (count > HS_DEVICES_MOST) return refuse(job, "a process takes 16 at most", there, err);
  for (int k = 0; k < count && k < there; k++) spread->devices[spread->device_count++] = k;
  return HS_OK;
}

/* No driver is asked for nothing: a backend that was asked for by name may know no devices. */
static bool devices_count(const struct hs_job *job)
{
  struct hs_error none;
  const struct hs_backend *backend = hs_backend_find(job->config->solver.backend, &none);
  return !backend || !backend->part || backend->part->devices;
}

hs_status hs_job_devices_choose(struct hs_job *job, struct hs_error *err)
{
  struct hs_spread *spread = &job->options.spread;
  struct hs_comm *comm = job->subdomain.comm;
  const char *text = job->config->solver.gpus;
  const bool plain = !strcmp(text, "1");
  hs_status status = HS_OK;
  if (hs_comm_size(comm) > 1) {
    const int there = devices_count(job) ? hs_backend_devices() : 0;
    job->backends = hs_distributed_list();
    spread->subdomain = &job->subdomain;
    if (there == 0) return HS_OK;
    spread->devices[0] = hs_comm_local_rank(comm) % there;
    spread->device_count = 1;
    return hs_backend_device_use(spread->devices[0], err);
  }
  if (plain) return HS_OK;
  status =
      strchr(text, ',') ? numbers_take(job, hs_backend_devices(), err) : first_take(job, hs_backend_devices(), err);
  if (status || spread->device_count == 0) return status;
  if (spread->device_count > 1) job->backends = hs_distributed_device_list();
  return hs_backend_device_use(spread->devices[0], err);
}
