## src: libheatsolve.a holds everything but main.c, so that tests link the same objects as the command.

bin_PROGRAMS += heatsolve
noinst_LIBRARIES += libheatsolve.a

heatsolve_SOURCES = src/main.c
heatsolve_LDADD = $(HS_LDADD)
## make builds in this order: the row kernels, which take longest to compile, come first.
heatsolve_DEPENDENCIES = $(libheatsolve_a_LIBADD) libheatsolve.a

HS_LDADD = libheatsolve.a $(HDF5_LIBS) $(CAIRO_LIBS) $(PNG_LIBS) $(INIH_LIBS) $(JANSSON_LIBS) \
	$(MUPARSER_LIBS) $(ZLIB_LIBS) $(MPI_LIBS) $(CUDA_LIBS)

libheatsolve_a_SOURCES = \
	src/api/handle.h \
	src/api/heatsolve.h \
	src/api/problem.c \
	src/api/result.c \
	src/api/run.c \
	src/base/digest.h \
	src/base/input.c \
	src/base/input.h \
	src/base/json.c \
	src/base/json.h \
	src/base/limits.c \
	src/base/limits.h \
	src/base/memory.c \
	src/base/memory.h \
	src/base/order.h \
	src/base/roff.c \
	src/base/roff.h \
	src/base/shown.c \
	src/base/shown.h \
	src/base/status.c \
	src/base/status.h \
	src/base/text.c \
	src/base/text.h \
	src/base/timer.c \
	src/base/timer.h \
	src/base/version.c \
	src/base/version.h \
	src/base/wrap.c \
	src/base/wrap.h \
	src/comm/comm.c \
	src/comm/comm.h \
	src/comm/halo.c \
	src/comm/halo.h \
	src/comm/nccl.c \
	src/comm/nccl.h \
	src/comm/grid_sum.c \
	src/comm/grid_sum.h \
	src/comm/subdomain.c \
	src/comm/subdomain.h \
	src/comm/transport.h \
	src/comm/watch.c \
	src/comm/watch.h \
	src/config/allowed.c \
	src/config/check/check.c \
	src/config/check/check.h \
	src/config/check/common.c \
	src/config/check/common.h \
	src/config/check/grid.c \
	src/config/check/parts.c \
	src/config/check/shape.c \
	src/config/check/solver.c \
	src/config/check/time.c \
	src/config/check/walls.c \
	src/config/config.c \
	src/config/config.h \
	src/config/draft.c \
	src/config/draft.h \
	src/config/draft_keys.c \
	src/config/explain.c \
	src/config/explain.h \
	src/config/identity.c \
	src/config/identity.h \
	src/config/list.c \
	src/config/list.h \
	src/config/lookup.c \
	src/config/manual.c \
	src/config/names.c \
	src/config/names.h \
	src/config/near.c \
	src/config/near.h \
	src/config/number.c \
	src/config/number.h \
	src/config/override.c \
	src/config/print.c \
	src/config/reader.c \
	src/config/table.c \
	src/config/table.h \
	src/config/text.c \
	src/config/text.h \
	src/config/used.c \
	src/config/value.c \
	src/problem/assembly/assess.c \
	src/problem/assembly/build.c \
	src/problem/assembly/build.h \
	src/problem/assembly/builder.h \
	src/problem/cells/cell_classes.c \
	src/problem/cells/cell_classes.h \
	src/problem/cells/cell_scan.c \
	src/problem/cells/cells.c \
	src/problem/cells/cells.h \
	src/problem/curve.c \
	src/problem/curve.h \
	src/problem/laws/law_walls.c \
	src/problem/laws/law_cells.c \
	src/problem/laws/law_node.c \
	src/problem/laws/laws.h \
	src/problem/cells/map_array.c \
	src/problem/cells/map_picture.c \
	src/problem/cells/maps.c \
	src/problem/cells/maps.h \
	src/problem/laws/law_table.c \
	src/problem/laws/law_table.h \
	src/problem/assembly/assembly.c \
	src/problem/create.c \
	src/problem/grid.c \
	src/problem/initial.c \
	src/problem/cells/materials.c \
	src/problem/cells/materials.h \
	src/problem/cells/source.c \
	src/problem/cells/source.h \
	src/problem/problem.h \
	src/problem/assembly/refusals.c \
	src/problem/held_remark.c \
	src/problem/remark.c \
	src/problem/remark.h \
	src/problem/remarks.c \
	src/problem/assembly/retime.c \
	src/problem/cells/shape.c \
	src/problem/cells/shape.h \
	src/problem/cells/shape_size.c \
	src/problem/laws/extent.c \
	src/problem/laws/extent.h \
	src/problem/system.c \
	src/problem/system.h \
	src/problem/value.c \
	src/problem/value.h \
	src/problem/walls.c \
	src/problem/walls.h \
	src/backend/backend.c \
	src/backend/backend.h \
	src/backend/threads.c \
	src/backend/cpu/barrier.h \
	src/backend/distributed/crossings.c \
	src/backend/distributed/cut.c \
	src/backend/distributed/distributed.c \
	src/backend/distributed/distributed.h \
	src/backend/distributed/exchange.c \
	src/backend/distributed/linear/coarsen.c \
	src/backend/distributed/linear/cycle.c \
	src/backend/distributed/linear/gradients.c \
	src/backend/distributed/linear/blocks.c \
	src/backend/distributed/linear/blocks.h \
	src/backend/distributed/linear/linear.c \
	src/backend/distributed/linear/linear.h \
	src/backend/distributed/linear/moves.c \
	src/backend/distributed/linear/operator.c \
	src/backend/distributed/linear/systems.c \
	src/backend/distributed/linear/vector.c \
	src/backend/distributed/norms.c \
	src/backend/distributed/parts.c \
	src/backend/distributed/pass.c \
	src/backend/distributed/strips.c \
	src/backend/distributed/state.h \
	src/backend/part.h \
	src/backend/cpu/part.c \
	src/backend/reference/part.c \
	src/backend/host/cg.c \
	src/backend/host/coarsen.c \
	src/backend/host/same.c \
	src/backend/host/cycle.c \
	src/backend/host/host.h \
	src/backend/host/linear.c \
	src/backend/host/part.c \
	src/backend/host/reference.c \
	src/backend/linear.h \
	src/backend/cost/cost.c \
	src/backend/cost/cost.h \
	src/backend/cost/gpu.c \
	src/backend/cost/processors.c \
	src/backend/cost/spread.c \
	src/backend/cost/spread.h \
	src/backend/cpu/cpu.c \
	src/backend/cpu/wavefront.h \
	src/backend/cpu/worker.h \
	src/backend/cpu/isa.c \
	src/backend/cpu/linear/cg.c \
	src/backend/cpu/linear/cg_rows.h \
	src/backend/cpu/linear/coarsen_rows.h \
	src/backend/cpu/linear/cycle.c \
	src/backend/cpu/linear/cycle_rows.h \
	src/backend/cpu/linear/isa.c \
	src/backend/cpu/linear/coarsen.c \
	src/backend/cpu/linear/linear.c \
	src/backend/cpu/linear/operator.c \
	src/backend/cpu/linear/pass.c \
	src/backend/cpu/linear/linear.h \
	src/backend/cpu/linear/rows.h \
	src/backend/cpu/linear/segment_rows.h \
	src/backend/cpu/linear/transfer_rows.h \
	src/backend/cpu/linear/segments.c \
	src/backend/cpu/memory.c \
	src/backend/cpu/norms.c \
	src/backend/cpu/schedule.c \
	src/backend/cpu/row.c \
	src/backend/cpu/roles.c \
	src/backend/cpu/rows/rows.h \
	src/backend/cpu/rows/natural.h \
	src/backend/cpu/rows/norms.h \
	src/backend/cpu/rows/precision.h \
	src/backend/cpu/rows/vector.h \
	src/backend/cpu/rows/transposed.h \
	src/backend/cpu/rows/transposed_norms.h \
	src/backend/cpu/subdomains.c \
	src/backend/cpu/subdomains.h \
	src/backend/cpu/team.c \
	src/backend/cpu/team.h \
	src/backend/cpu/transposed.c \
	src/backend/cpu/state.h \
	src/backend/cpu/sweeps.c \
	src/backend/cpu/tiling.c \
	src/backend/cuda/streamed/plan.c \
	src/backend/cuda/streamed/plan.h \
	src/numerics/coarsening.h \
	src/numerics/exactsum.h \
	src/numerics/law.h \
	src/numerics/multigrid.h \
	src/numerics/node.h \
	src/backend/reference/reference.c \
	src/backend/reference/norms.c \
	src/backend/reference/state.h \
	src/backend/reference/step.c \
	src/backend/reference/sweep.c \
	src/numerics/relaxation.h \
	src/numerics/stoptest.h \
	src/numerics/total.h src/numerics/total_terms.h \
	src/backend/cost/tuning.c \
	src/backend/cost/tuning.h \
	src/backend/cost/builtin.c \
	src/backend/cost/tuning_file.c \
	src/bench/bench.c \
	src/bench/bench.h \
	src/bench/copy.c \
	src/bench/copy.h \
	src/bench/file.c \
	src/bench/rate.c \
	src/bench/rate.h \
	src/bench/rate_cycles.c \
	src/bench/rate_problem.c \
	src/bench/rate_problem.h \
	src/bench/tune.c \
	src/bench/tune.h \
	src/answers/answers.c \
	src/answers/answers.h \
	src/answers/own.c \
	src/answers/parts.h \
	src/answers/balance.c \
	src/answers/balance_nodes.c \
	src/solve/accept.c \
	src/solve/cycles.c \
	src/solve/multigrid/estimate.c \
	src/solve/found.c \
	src/solve/multigrid/gradients.c \
	src/solve/multigrid/gradients.h \
	src/solve/judge.c \
	src/solve/judge.h \
	src/solve/multigrid/levels.c \
	src/solve/multigrid/levels.h \
	src/solve/multigrid/iterate.c \
	src/solve/multigrid/multigrid.c \
	src/solve/multigrid/multigrid.h \
	src/solve/chebyshev.c \
	src/solve/chebyshev.h \
	src/solve/chebyshev_run.c \
	src/run/attempt.c \
	src/run/attempt.h \
	src/run/checkpoint.c \
	src/run/checkpoint.h \
	src/run/choice.c \
	src/run/choice.h \
	src/run/devices.c \
	src/run/first_update.c \
	src/run/first_update.h \
	src/run/forecast.c \
	src/run/forecast.h \
	src/run/job.c \
	src/run/job.h \
	src/run/job_parts.h \
	src/run/job_run.c \
	src/run/method.c \
	src/answers/flux.c src/answers/flux.h \
	src/answers/outline.c \
	src/solve/floor.c \
	src/solve/floor.h \
	src/solve/outcome.c \
	src/solve/pieces/forest.c src/solve/pieces/forest.h \
	src/solve/pieces/pieces.c src/solve/pieces/pieces.h \
	src/solve/pieces/rows.c src/solve/pieces/rows.h \
	src/solve/pace.c \
	src/solve/pace.h \
	src/solve/point.c \
	src/solve/point.h \
	src/run/coarse.c \
	src/run/coarse.h \
	src/run/plan/plan.c \
	src/run/plan/planner.c \
	src/run/plan/plan.h \
	src/run/plan/planner.h \
	src/run/predict.c \
	src/run/predict.h \
	src/run/prepare.c \
	src/answers/point.c \
	src/answers/probe.c \
	src/run/quantity.c \
	src/run/quantity.h \
	src/solve/replay.c \
	src/solve/multigrid/richardson.c \
	src/solve/multigrid/richardson.h \
	src/run/result.c \
	src/run/result.h \
	src/run/warm_up.c \
	src/run/warm_up.h \
	src/solve/jacobi.c \
	src/solve/solution.h \
	src/answers/series.c \
	src/solve/solve.c \
	src/solve/solve.h \
	src/solve/multigrid/step.c \
	src/solve/multigrid/vcycle.c \
	src/solve/multigrid/verdict.c src/solve/multigrid/verdict.h \
	src/solve/multigrid/work.c \
	src/time/discretisation.c \
	src/time/discretisation.h \
	src/time/adaptive.c \
	src/time/explicit.c \
	src/time/implicit.c \
	src/time/inner.c \
	src/time/march.c \
	src/time/march.h \
	src/time/steps.c \
	src/time/steps.h \
	src/time/transient.c \
	src/time/transient.h \
	src/output/picture/temperature/animation.c \
	src/output/picture/temperature/animation.h \
	src/output/picture/canvas/axes.c \
	src/output/picture/canvas/axes.h \
	src/output/bench/bench.h \
	src/output/bench/chart.c \
	src/output/bench/curves.c \
	src/output/bench/curves.h \
	src/output/bench/csv.c \
	src/output/bench/json.c \
	src/output/bench/text.c \
	src/output/check.c \
	src/output/checkpoint/checkpoint.c \
	src/output/checkpoint/checkpoint.h \
	src/output/checkpoint/contents.c \
	src/output/checkpoint/contents.h \
	src/output/checkpoint/members.c \
	src/output/checkpoint/members.h \
	src/output/checkpoint/restart.c \
	src/output/checkpoint/seal.c \
	src/output/checkpoint/seal.h \
	src/output/page/cut.c \
	src/output/page/drawing.c \
	src/output/page/embedded.h \
	src/output/page/fields.c \
	src/output/page/fields.h \
	src/output/page/lines.c \
	src/output/page/lines.h \
	src/output/page/page.c \
	src/output/page/page.h \
	src/output/page/parts.h \
	src/output/page/report.c \
	src/output/page/settings.c \
	src/output/page/snapshots.c \
	src/output/page/thin.c \
	src/output/page/thin.h \
	src/output/picture/temperature/colormap.c \
	src/output/picture/convergence.c \
	src/output/report/answers_csv.c \
	src/output/report/answers_csv.h \
	src/output/picture/drawing/drawing.c \
	src/output/picture/drawing/drawing.h \
	src/output/describe.c \
	src/output/describe.h \
	src/output/picture/canvas/canvas.c \
	src/output/picture/canvas/canvas.h \
	src/output/picture/drawing/cell_image.c \
	src/output/picture/drawing/cell_image.h \
	src/output/picture/drawing/labels.c \
	src/output/picture/drawing/labels.h \
	src/output/field/h5_grid.c \
	src/output/field/h5_grid.h \
	src/output/picture/canvas/marks.c \
	src/output/picture/canvas/marks.h \
	src/io/file.c \
	src/io/file.h \
	src/io/apng.c \
	src/io/apng.h \
	src/io/csv_read.c \
	src/io/csv_read.h \
	src/io/csv_write.c \
	src/io/csv_write.h \
	src/io/h5_error.c \
	src/io/h5_error.h \
	src/io/h5_guard.c \
	src/io/h5_guard.h \
	src/io/h5_order.c \
	src/io/h5_order.h \
	src/io/h5_put.c \
	src/io/h5_put.h \
	src/io/h5_room.c \
	src/io/h5_room.h \
	src/io/file_ranks.c \
	src/io/file_ranks.h \
	src/io/h5_read.c \
	src/io/h5_read.h \
	src/output/field/field_read.c \
	src/io/h5_sink.c \
	src/io/h5_sink.h \
	src/io/h5_text.c \
	src/output/field/field_fill.c \
	src/output/field/field_fill.h \
	src/output/field/field_write.c \
	src/output/picture/canvas/font.c \
	src/output/picture/canvas/font.h \
	src/output/picture/temperature/isotherms.c \
	src/output/picture/temperature/isotherms.h \
	src/output/picture/drawing/legend.c \
	src/output/picture/drawing/legend.h \
	src/output/earlier.c \
	src/output/earlier.h \
	src/output/inputs.c \
	src/output/inputs.h \
	src/output/lock.c \
	src/output/lock.h \
	src/output/names.c \
	src/output/names.h \
	src/output/share.c \
	src/output/share.h \
	src/output/output.c \
	src/output/output.h \
	src/output/picture/temperature/picture.c \
	src/output/picture/temperature/picture.h \
	src/io/png_write.c \
	src/io/png_write.h \
	src/io/png_read.c \
	src/io/png_read.h \
	src/output/picture/temperature/bar.c \
	src/output/picture/temperature/bar.h \
	src/output/picture/temperature/extremes.c \
	src/output/picture/temperature/extremes.h \
	src/output/picture/canvas/lines.c \
	src/output/picture/canvas/lines.h \
	src/output/picture/temperature/outlines.c \
	src/output/picture/temperature/outlines.h \
	src/output/picture/canvas/room.c \
	src/output/picture/canvas/room.h \
	src/output/picture/drawing/sheet.c \
	src/output/picture/drawing/sides.c \
	src/output/picture/drawing/sides.h \
	src/output/picture/drawing/sheet.h \
	src/output/picture/drawing/walls.c \
	src/output/picture/drawing/walls.h \
	src/output/picture/canvas/text.c \
	src/output/picture/canvas/text.h \
	src/output/progress.c \
	src/output/picture/temperature/raster.c \
	src/output/picture/temperature/samples.c \
	src/output/picture/temperature/samples.h \
	src/output/picture/temperature/scale.c \
	src/output/picture/temperature/raster.h \
	src/output/report/report.c \
	src/output/report/report.h \
	src/output/report/json.c \
	src/output/report/json_lists.c \
	src/output/report/json_put.h \
	src/output/report/tables.c \
	src/output/report/text.c \
	src/output/report/warnings.c \
	src/output/field/snapshots.c \
	src/output/field/snapshots.h \
	src/output/field/snapshots_read.c src/output/field/mesh.c src/output/field/mesh.h src/output/field/vti.c \
	src/output/field/snapshots_view.c src/output/field/snapshots_view.h \
	src/output/field/xdmf.c \
	src/slurm/call.c \
	src/slurm/call.h \
	src/slurm/duration.c \
	src/slurm/duration.h \
	src/slurm/partition.c \
	src/slurm/partition.h \
	src/slurm/record.c \
	src/slurm/record.h \
	src/slurm/script.c \
	src/slurm/script.h \
	src/slurm/waits.c \
	src/slurm/waits.h \
	src/cli/help/about.c \
	src/cli/help/about.h \
	src/cli/bench_options.c \
	src/cli/bench_options.h \
	src/cli/cases.c \
	src/cli/cases.h \
	src/cli/cli.c \
	src/cli/cli.h \
	src/cli/cmd_backends.c \
	src/cli/cmd_bench.c \
	src/cli/check_plan.c \
	src/cli/check_plan.h \
	src/cli/cmd_check.c \
	src/cli/cmd_fields.c \
	src/cli/cmd_queue.c \
	src/cli/cmd_submit.c \
	src/cli/cmd_tune.c \
	src/cli/cmd_validate.c \
	src/cli/cmd_verify.c \
	src/cli/commands.c \
	src/cli/commands.h \
	src/cli/help/completion.c \
	src/cli/help/completion.h \
	src/cli/difference.c \
	src/cli/difference.h \
	src/cli/help/help.c \
	src/cli/help/help.h \
	src/cli/help/manual.c \
	src/cli/help/manual.h \
	src/cli/job_shape.c \
	src/cli/job_shape.h \
	src/cli/options.c \
	src/cli/options.h \
	src/cli/parse.c \
	src/cli/signals.c \
	src/cli/warn.c

## The version with its commit. It is asked for each time, and written only where it differs.
revision.h: hs-always
	$(AM_V_at)set -- `$(SHELL) $(top_srcdir)/scripts/version.sh '$(PACKAGE_VERSION)' '$(top_srcdir)'` && \
	{ echo "#define HS_REVISION \"$$1\"" && echo "#define HS_REVISION_DAY \"$$2\""; } >$@.new && \
	if cmp -s $@.new $@; then rm -f $@.new; else mv -f $@.new $@; fi
src/base/version.$(OBJEXT): revision.h
hs-always:
.PHONY: hs-always
CLEANFILES += revision.h

## The font of the pictures becomes a part of the program.
nodist_libheatsolve_a_SOURCES = font_data.c
font_data.c: $(HS_PICTURE_FONT) $(top_srcdir)/scripts/embed.sh
	$(AM_V_GEN)$(SHELL) $(top_srcdir)/scripts/embed.sh hs_font_data='$(HS_PICTURE_FONT)' >$@.new && mv -f $@.new $@
CLEANFILES += font_data.c
EXTRA_DIST += src/output/picture/font/DejaVuSans.ttf src/output/picture/font/LICENSE

## The frame, style and scripts of report.html, in the order in which a browser reads them.
HS_PAGE_PROGRAM = \
	src/output/page/js/basis.js \
	src/output/page/js/field.js \
	src/output/page/js/colours.js \
	src/output/page/js/picture.js \
	src/output/page/js/reading.js \
	src/output/page/js/chart.js \
	src/output/page/js/course.js \
	src/output/page/js/tables.js \
	src/output/page/js/main.js
HS_PAGE_FILES = src/output/page/page.html src/output/page/page.css $(HS_PAGE_PROGRAM)
nodist_libheatsolve_a_SOURCES += page_data.c
page_data.c: $(HS_PAGE_FILES) $(top_srcdir)/scripts/embed.sh
	$(AM_V_GEN)for file in $(HS_PAGE_PROGRAM); do cat $(top_srcdir)/$$file || exit 1; done >$@.js && \
	$(SHELL) $(top_srcdir)/scripts/embed.sh hs_page_html=$(top_srcdir)/src/output/page/page.html \
	hs_page_css=$(top_srcdir)/src/output/page/page.css hs_page_js=$@.js >$@.new && mv -f $@.new $@ && rm -f $@.js
EXTRA_DIST += $(HS_PAGE_FILES)
CLEANFILES += page_data.c page_data.c.js

## What all batch scripts have in common.
nodist_libheatsolve_a_SOURCES += job_data.c
job_data.c: src/slurm/job.sh $(top_srcdir)/scripts/embed.sh
	$(AM_V_GEN)$(SHELL) $(top_srcdir)/scripts/embed.sh hs_slurm_body=$(top_srcdir)/src/slurm/job.sh >$@.new && mv -f $@.new $@
EXTRA_DIST += src/slurm/job.sh
CLEANFILES += job_data.c

## The row kernels, once per instruction set; the program picks one when it runs.
noinst_LIBRARIES += librows_baseline.a
librows_baseline_a_SOURCES = src/backend/cpu/rows/rows.c src/backend/cpu/linear/rows.c
librows_baseline_a_CPPFLAGS = $(AM_CPPFLAGS) -DHS_ROWS_ISA=baseline
librows_baseline_a_CFLAGS = $(AM_CFLAGS) -O3
libheatsolve_a_LIBADD = $(librows_baseline_a_OBJECTS)

if HS_HAVE_ROWS_AVX2
noinst_LIBRARIES += librows_avx2.a
librows_avx2_a_SOURCES = src/backend/cpu/rows/rows.c src/backend/cpu/linear/rows.c
librows_avx2_a_CPPFLAGS = $(AM_CPPFLAGS) -DHS_ROWS_ISA=avx2
librows_avx2_a_CFLAGS = $(AM_CFLAGS) -O3 $(HS_ROWS_AVX2_CFLAGS)
libheatsolve_a_LIBADD += $(librows_avx2_a_OBJECTS)
endif

if HS_HAVE_ROWS_AVX512
noinst_LIBRARIES += librows_avx512.a
librows_avx512_a_SOURCES = src/backend/cpu/rows/rows.c src/backend/cpu/linear/rows.c
librows_avx512_a_CPPFLAGS = $(AM_CPPFLAGS) -DHS_ROWS_ISA=avx512
librows_avx512_a_CFLAGS = $(AM_CFLAGS) -O3 $(HS_ROWS_AVX512_CFLAGS)
libheatsolve_a_LIBADD += $(librows_avx512_a_OBJECTS)
endif

## automake does not see through the lists of objects.
libheatsolve_a_DEPENDENCIES = $(libheatsolve_a_LIBADD)

## With CUDA or without: files of their own, no preprocessor conditions.
HS_CUDA_FILES = \
	src/backend/cuda/cuda.c \
	src/backend/cuda/advance.c \
	src/backend/cuda/cost.c \
	src/backend/cuda/device.c \
	src/backend/cuda/state.c \
	src/backend/cuda/transfer.c \
	src/backend/cuda/blocked/blocked.c \
	src/backend/cuda/blocked/schedule.c \
	src/backend/cuda/blocked/schedule.h \
	src/backend/cuda/blocked/plan.c \
	src/backend/cuda/blocked/plan.h \
	src/backend/cuda/error.c \
	src/backend/cuda/linear/coarse.c \
	src/backend/cuda/linear/linear.c \
	src/backend/cuda/linear/operator.c \
	src/backend/cuda/linear/part.c \
	src/backend/cuda/linear/shared.c \
	src/backend/cuda/linear/store.c \
	src/backend/cuda/linear/store.h \
	src/backend/cuda/linear/tail.c \
	src/backend/cuda/linear/linear.h \
	src/backend/cuda/linear/operations.c \
	src/backend/cuda/memory.c \
	src/backend/cuda/part.c \
	src/backend/cuda/resident/plan.c \
	src/backend/cuda/resident/plan.h \
	src/backend/cuda/resident/resident.c \
	src/backend/cuda/state.h \
	src/backend/cuda/streamed/streamed.c \
	src/backend/cuda/streamed/device.c \
	src/backend/cuda/streamed/device.h \
	src/backend/cuda/streamed/host.c \
	src/backend/cuda/streamed/host.h \
	src/backend/cuda/streamed/machine.c \
	src/backend/cuda/streamed/passes.c \
	src/backend/cuda/streamed/slots.h \
	src/backend/cuda/streamed/trip.c \
	src/backend/cuda/system.c

if HAVE_CUDA
libheatsolve_a_SOURCES += $(HS_CUDA_FILES) src/bench/copy_cuda.c
else
libheatsolve_a_SOURCES += src/backend/cuda/absent.c src/bench/copy_absent.c
endif

if HAVE_MPI
libheatsolve_a_SOURCES += src/comm/mpi.c
else
libheatsolve_a_SOURCES += src/comm/none.c
endif

## The shared library, of the same objects: what the files of src/api need of libheatsolve.a. Linked by a rule of our own, for
## libtool would compile every file twice.
HS_SONAME = libheatsolve.so.1
HS_API_OBJECTS = src/api/problem.$(OBJEXT) src/api/result.$(OBJEXT) src/api/run.$(OBJEXT)
HS_API_MAP = $(srcdir)/src/api/heatsolve.map
include_HEADERS = src/api/heatsolve.h
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = heatsolve.pc
EXTRA_DIST += src/api/heatsolve.map

all-local: libheatsolve.so
libheatsolve.so: $(HS_SONAME)
	$(AM_V_at)rm -f $@ && $(LN_S) $(HS_SONAME) $@
$(HS_SONAME): libheatsolve.a $(HS_API_MAP)
	$(AM_V_CCLD)$(CC) -shared -Wl,-soname,$(HS_SONAME) -Wl,--version-script=$(HS_API_MAP) -Wl,--no-undefined \
	  $(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS) -o $@ $(HS_API_OBJECTS) $(HS_LDADD) $(LIBS)
install-exec-local: $(HS_SONAME)
	$(MKDIR_P) '$(DESTDIR)$(libdir)'
	$(INSTALL_DATA) $(HS_SONAME) '$(DESTDIR)$(libdir)/$(HS_SONAME)'
	rm -f '$(DESTDIR)$(libdir)/libheatsolve.so' && $(LN_S) $(HS_SONAME) '$(DESTDIR)$(libdir)/libheatsolve.so'
uninstall-local:
	rm -f '$(DESTDIR)$(libdir)/$(HS_SONAME)' '$(DESTDIR)$(libdir)/libheatsolve.so'
CLEANFILES += $(HS_SONAME) libheatsolve.so

## Manual pages and completion, which the program prints from its tables. A tarball has them for builds whose program
## cannot run where it is built.
EXTRA_DIST += src/cli/help/completion.bash src/cli/help/completion.zsh
bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
if HS_PRINTED
dist_man_MANS = man/heatsolve.1 man/heatsolve.ini.5
dist_bashcompletion_DATA = completions/bash/heatsolve
dist_zshcompletion_DATA = completions/zsh/_heatsolve
endif
if HS_PRINTING
man/heatsolve.1 man/heatsolve.ini.5: heatsolve$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) man && ./heatsolve$(EXEEXT) --generate=$(@F) >$@.new && mv -f $@.new $@
completions/bash/heatsolve: heatsolve$(EXEEXT) src/cli/help/completion.bash
	$(AM_V_GEN)$(MKDIR_P) completions/bash && ./heatsolve$(EXEEXT) --generate=bash >$@.new && \
	cat $(top_srcdir)/src/cli/help/completion.bash >>$@.new && mv -f $@.new $@
completions/zsh/_heatsolve: heatsolve$(EXEEXT) src/cli/help/completion.zsh
	$(AM_V_GEN)$(MKDIR_P) completions/zsh && ./heatsolve$(EXEEXT) --generate=zsh >$@.new && \
	cat $(top_srcdir)/src/cli/help/completion.zsh >>$@.new && mv -f $@.new $@
CLEANFILES += man/heatsolve.1 man/heatsolve.ini.5 completions/bash/heatsolve completions/zsh/_heatsolve
endif
