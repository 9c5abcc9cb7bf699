## src: libheatsolve.a holds everything but main.c, so that tests link the same objects as the command.

bin_PROGRAMS += heatsolve
noinst_LIBRARIES += libheatsolve.a

heatsolve_SOURCES = src/main.c
heatsolve_LDADD = $(HS_LDADD)

HS_LDADD = libheatsolve.a $(HDF5_LIBS) $(CAIRO_LIBS) $(PNG_LIBS) $(INIH_LIBS) $(JANSSON_LIBS) $(CUDA_LIBS)

libheatsolve_a_SOURCES = \
	src/base/memory.c \
	src/base/memory.h \
	src/base/status.c \
	src/base/status.h \
	src/base/timer.c \
	src/base/timer.h \
	src/config/check.c \
	src/config/config.c \
	src/config/config.h \
	src/config/draft.c \
	src/config/draft.h \
	src/config/override.c \
	src/config/print.c \
	src/config/reader.c \
	src/config/table.c \
	src/config/table.h \
	src/config/text.c \
	src/config/text.h \
	src/config/value.c \
	src/problem/palette.c \
	src/problem/palette.h \
	src/problem/problem.c \
	src/problem/problem.h \
	src/problem/system.c \
	src/problem/system.h \
	src/backend/backend.c \
	src/backend/backend.h \
	src/backend/barrier.h \
	src/backend/cpu.c \
	src/backend/cpu_isa.c \
	src/backend/cpu_rows.h \
	src/backend/cpu_rows_body.h \
	src/backend/exactsum.h \
	src/backend/node.h \
	src/backend/reference.c \
	src/backend/stoptest.h \
	src/solve/forecast.c \
	src/solve/forecast.h \
	src/solve/job.c \
	src/solve/job.h \
	src/solve/result.c \
	src/solve/result.h \
	src/solve/solve.c \
	src/solve/solve.h \
	src/output/axes.c \
	src/output/axes.h \
	src/output/check.c \
	src/output/colormap.c \
	src/output/convergence.c \
	src/output/file.c \
	src/output/file.h \
	src/output/h5_error.c \
	src/output/h5_error.h \
	src/output/h5_read.c \
	src/output/h5_sink.c \
	src/output/h5_sink.h \
	src/output/h5_write.c \
	src/output/isotherms.c \
	src/output/isotherms.h \
	src/output/output.c \
	src/output/output.h \
	src/output/picture.c \
	src/output/png.c \
	src/output/png.h \
	src/output/progress.c \
	src/output/raster.c \
	src/output/raster.h \
	src/output/report.c \
	src/output/report.h \
	src/output/report_json.c \
	src/output/report_text.c \
	src/output/version.c \
	src/output/version.h \
	src/output/xdmf.c \
	src/cli/cli.c \
	src/cli/cli.h \
	src/cli/cmd_backends.c \
	src/cli/cmd_check.c \
	src/cli/cmd_fields.c \
	src/cli/cmd_verify.c \
	src/cli/difference.c \
	src/cli/difference.h \
	src/cli/signals.c

## The row kernels, once per instruction set; the program picks one when it runs.
noinst_LIBRARIES += librows_baseline.a
librows_baseline_a_SOURCES = src/backend/cpu_rows.c
librows_baseline_a_CPPFLAGS = $(AM_CPPFLAGS) -DHS_ROWS_ISA=baseline
librows_baseline_a_CFLAGS = $(AM_CFLAGS) -O3
libheatsolve_a_LIBADD = $(librows_baseline_a_OBJECTS)

if HS_HAVE_ROWS_AVX2
noinst_LIBRARIES += librows_avx2.a
librows_avx2_a_SOURCES = src/backend/cpu_rows.c
librows_avx2_a_CPPFLAGS = $(AM_CPPFLAGS) -DHS_ROWS_ISA=avx2
librows_avx2_a_CFLAGS = $(AM_CFLAGS) -O3 $(HS_ROWS_AVX2_CFLAGS)
libheatsolve_a_LIBADD += $(librows_avx2_a_OBJECTS)
endif

if HS_HAVE_ROWS_AVX512
noinst_LIBRARIES += librows_avx512.a
librows_avx512_a_SOURCES = src/backend/cpu_rows.c
librows_avx512_a_CPPFLAGS = $(AM_CPPFLAGS) -DHS_ROWS_ISA=avx512
librows_avx512_a_CFLAGS = $(AM_CFLAGS) -O3 $(HS_ROWS_AVX512_CFLAGS)
libheatsolve_a_LIBADD += $(librows_avx512_a_OBJECTS)
endif

## automake does not see through the lists of objects.
libheatsolve_a_DEPENDENCIES = $(libheatsolve_a_LIBADD)

## With CUDA or without: files of their own, no preprocessor conditions.
HS_CUDA_FILES = \
	src/backend/cuda.c \
	src/backend/cuda_advance.c \
	src/backend/cuda_memory.c \
	src/backend/cuda_state.h

if HAVE_CUDA
libheatsolve_a_SOURCES += $(HS_CUDA_FILES)
else
libheatsolve_a_SOURCES += src/backend/cuda_absent.c
endif
