/* What the machine, and the control groups that a process is in, leave it: memory and processors. */
#ifndef HS_BASE_LIMITS_H
#define HS_BASE_LIMITS_H

/* Bytes of physical memory that a new allocation may use now: MemAvailable of /proc/meminfo, lowered to what the
 * control groups leave, which may be nothing. INFINITY when unknown. */
double hs_memory_available(void);

/* Processors' time that the control groups grant, in processors (a container, CPUQuota of a service); INFINITY
 * without a limit. Which processors may be used at all (affinity, cpusets) is not looked at. */
double hs_processors_granted(void);

/* Processors of the machine that other programs leave to this one now, of whose threads at most `own` are running; at
 * least 1. INT_MAX when unknown: also where this process may use only `allowed` of all, since it cannot be told which
 * programs run on them. */
int hs_processors_free(int own, int allowed);

/* The file that lists the groups of a process, and the folder where the groups' files are mounted. hs_groups_here is for
 * this process. */
struct hs_groups {
  const char *list, *mount;
};
extern const struct hs_groups hs_groups_here;

/* The tightest limit of the listed groups and all their parents, in both versions of the interface: bytes of memory that
 * are not used yet, and processors granted; INFINITY without a limit. Source: the kernel's admin-guide/cgroup-v2 and
 * cgroup-v1/memory, scheduler/sched-bwc. */
double hs_groups_memory(const struct hs_groups *groups);
double hs_groups_processors(const struct hs_groups *groups);

#endif
