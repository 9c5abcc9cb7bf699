## benchmarks: beside `heatsolve bench`. Built by `make benchmarks` alone, never installed; the scripts run as they are.

EXTRA_DIST += benchmarks/blocks.ini benchmarks/busy.py benchmarks/circles.ini benchmarks/common.py benchmarks/hole.ini benchmarks/jump.ini benchmarks/peers.py \
	benchmarks/plain.c benchmarks/plate.ini benchmarks/solvers.py
EXTRA_PROGRAMS = benchmarks/copy_rate benchmarks/fftw_sine benchmarks/hypre_pfmg
CLEANFILES += $(EXTRA_PROGRAMS)

HS_HYPRE_CPPFLAGS = -isystem /usr/include/hypre
benchmarks_fftw_sine_SOURCES = benchmarks/fftw_sine.c benchmarks/inner.h
benchmarks_fftw_sine_LDADD = $(HS_LDADD) -lfftw3_omp -lfftw3
benchmarks_hypre_pfmg_SOURCES = benchmarks/hypre_pfmg.c benchmarks/inner.h
benchmarks_hypre_pfmg_CPPFLAGS = $(AM_CPPFLAGS) $(HS_HYPRE_CPPFLAGS)
benchmarks_hypre_pfmg_LDADD = $(HS_LDADD) -lHYPRE

## Peers of solvers.py over libraries that configure does not look for: program, header, Debian's package.
HS_LIBRARY_PEERS = fftw_sine:fftw3.h:libfftw3-dev hypre_pfmg:HYPRE_struct_ls.h:libhypre-dev

if HAVE_CUDA
HS_CUDA_BENCHMARKS = benchmarks/copy_rate
else
HS_CUDA_BENCHMARKS =
endif

.PHONY: benchmarks
benchmarks: $(HS_CUDA_BENCHMARKS)
	@test -n '$(HS_CUDA_BENCHMARKS)' || echo 'copy_rate needs CUDA; heatsolve bench and benchmarks/peers.py are there without it'
	@for peer in $(HS_LIBRARY_PEERS); do \
	  name=$${peer%%:*}; package=$${peer##*:}; header=$${peer#*:}; header=$${header%:*}; \
	  if echo "#include <$$header>" | $(CC) $(AM_CPPFLAGS) $(CPPFLAGS) $(HS_HYPRE_CPPFLAGS) -E -x c - >/dev/null 2>&1; then \
	    $(MAKE) $(AM_MAKEFLAGS) benchmarks/$$name || exit 1; \
	  else \
	    echo "$$name is not made: $$header was not found (Debian: $$package)"; \
	  fi; \
	done
