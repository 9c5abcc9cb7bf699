/* Fields over time: snapshots.h5 and snapshots.xdmf, written during a transient run.
 *
 * snapshots.h5: /snapshots/0 (ny,nx) and so on, each with the attributes time_s, steps, minimum_k, maximum_k and units;
 * /temperature (time,y,x), a virtual dataset that shows them as one; the scales /time (s), one number a snapshot, /x and
 * /y, places of the nodes (m); root attributes as in field.h5. snapshots.xdmf describes them for ParaView and VisIt as a
 * collection over time.
 */
#ifndef HS_OUTPUT_FIELD_SNAPSHOTS_H
#define HS_OUTPUT_FIELD_SNAPSHOTS_H

#include "problem/problem.h"
#include "time/transient.h"

struct hs_snapshots;

/* Begins snapshots.h5 in the output folder of the problem's configuration, in place of an older one. *snapshots is NULL where
 * the configuration wants none. problem must outlive it. identity: the problem as text, of which the file keeps a digest in the
 * attribute problem. Errors: HS_ERR_IO, HS_ERR_MEMORY. */
hs_status hs_snapshots_create(const struct hs_problem *problem, const char *identity, struct hs_snapshots **snapshots,
                              struct hs_error *err);

/* Goes on with the snapshots.h5 of a run that was ended: keeps the first `count` snapshots, which must be those of
 * time_s[count], and drops later ones. Errors: HS_ERR_IO (also where these are not in the file, or it is of another
 * problem), HS_ERR_MEMORY. */
hs_status hs_snapshots_continue(const struct hs_problem *problem, const char *identity, const double *time_s, int count,
                                struct hs_snapshots **snapshots, struct hs_error *err);

/* Does path hold that problem's snapshots (a digest) of the times time_s[count], and perhaps later ones? A run of another
 * problem may have begun in the folder since. *found: how many there are. The file is only read. Errors: as for
 * hs_snapshots_continue. */
hs_status hs_snapshots_check(const char *path, int64_t problem, const double *time_s, int count, int *found,
                             struct hs_error *err);

/* The taker that writes the fields of a run; valid until snapshots is destroyed. When take returns, the snapshot is on the
 * disk. take is NULL when snapshots is. Errors of take: HS_ERR_IO, HS_ERR_MEMORY. */
struct hs_snapshot_taker hs_snapshots_taker(struct hs_snapshots *snapshots);

/* Completes both files. NULL is accepted. Errors: HS_ERR_IO, HS_ERR_MEMORY. */
hs_status hs_snapshots_finish(struct hs_snapshots *snapshots, struct hs_error *err);

/* Frees snapshots; NULL is accepted. Without hs_snapshots_finish the files hold what was taken. */
void hs_snapshots_destroy(struct hs_snapshots *snapshots);

/* One snapshot of a file. */
struct hs_snapshot_facts {
  double time_s, minimum_k, maximum_k; /* extremes of the finite nodes, NaN when there is none */
};

struct hs_snapshot_reader;

/* Opens a snapshots.h5 with fields of nx x ny nodes. Errors: HS_ERR_IO, HS_ERR_MEMORY. */
hs_status hs_snapshot_reader_open(const char *path, int nx, int ny, struct hs_snapshot_reader **reader,
                                  struct hs_error *err);
int hs_snapshot_reader_count(const struct hs_snapshot_reader *reader);

/* Facts of snapshot k, and its field into field_k[ny*nx] unless that is NULL. Errors: HS_ERR_IO. */
hs_status hs_snapshot_reader_get(const struct hs_snapshot_reader *reader, int k, struct hs_snapshot_facts *facts,
                                 double *field_k, struct hs_error *err);

/* The field of snapshot k, as far as problem's window goes, into field_k[ny*nx] of that. Errors: HS_ERR_IO. */
hs_status hs_snapshot_reader_window(const struct hs_snapshot_reader *reader, int k, const struct hs_problem *problem,
                                    double *field_k, struct hs_error *err);

/* `count` rows of snapshot k, every step-th from row `first` on, into rows_k[count*nx]. Errors: HS_ERR_IO. */
hs_status hs_snapshot_reader_rows(const struct hs_snapshot_reader *reader, int k, int first, int step, int count,
                                  double *rows_k, struct hs_error *err);
void hs_snapshot_reader_close(struct hs_snapshot_reader *reader); /* NULL is accepted */

#endif
