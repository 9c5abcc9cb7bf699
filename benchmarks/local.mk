## benchmarks: beside `heatsolve bench`. Built by `make benchmarks` alone, never installed; the scripts run as they are.

EXTRA_DIST += benchmarks/busy.py benchmarks/common.py benchmarks/peers.py benchmarks/plain.c benchmarks/plate.ini
EXTRA_PROGRAMS = benchmarks/copy_rate
CLEANFILES += $(EXTRA_PROGRAMS)

.PHONY: benchmarks
if HAVE_CUDA
benchmarks: benchmarks/copy_rate
else
benchmarks:
	@echo 'copy_rate needs CUDA; heatsolve bench and benchmarks/peers.py are there without it'
endif
