## benchmarks: built by `make benchmarks` alone, never installed.

HS_BENCHMARKS = benchmarks/sweep_rate
HS_CUDA_BENCHMARKS = benchmarks/copy_rate

EXTRA_PROGRAMS = $(HS_BENCHMARKS) $(HS_CUDA_BENCHMARKS)
CLEANFILES += $(EXTRA_PROGRAMS)

if HAVE_CUDA
HS_BENCHMARKS_HERE = $(HS_BENCHMARKS) $(HS_CUDA_BENCHMARKS)
else
HS_BENCHMARKS_HERE = $(HS_BENCHMARKS)
endif

.PHONY: benchmarks
benchmarks: $(HS_BENCHMARKS_HERE)
