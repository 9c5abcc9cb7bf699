## tests: cmocka programs and shell scripts, all speaking TAP to automake's parallel harness.

## Programs by room.
HS_UNIT_TESTS = \
	tests/api/test_api tests/api/test_misuse \
	tests/answers/test_answers tests/answers/test_balance tests/answers/test_corners tests/answers/test_flux tests/answers/test_outline tests/answers/test_outside tests/answers/test_probe \
	tests/answers/test_series tests/answers/test_windows \
	tests/backend/cost/test_spread tests/backend/cost/test_tuning tests/backend/cpu/test_choices tests/backend/cpu/test_subdomains \
	tests/backend/cpu/test_team tests/backend/test_linear tests/backend/test_richardson tests/backend/test_trial \
	tests/backend/cuda/streamed/test_streamed tests/backend/test_large \
	tests/base/test_base \
	tests/bench/test_rate \
	tests/comm/test_comm tests/comm/test_halo tests/comm/test_grid_sum tests/comm/test_subdomain \
	tests/config/test_config tests/config/test_identity tests/config/test_names tests/config/test_override tests/config/test_print \
	tests/config/test_reader \
	tests/io/test_csv tests/io/test_file tests/io/test_h5 tests/io/test_h5_guard \
	tests/kernels/test_blocked_kernel tests/kernels/test_product_kernel tests/kernels/test_resident_kernel \
	tests/kernels/test_shares_kernel \
	tests/kernels/test_sweep_kernels tests/kernels/test_tail_kernel \
	tests/numerics/test_exactsum tests/numerics/test_stoptest tests/numerics/test_total \
	tests/output/test_output tests/output/test_progress tests/output/test_ranks tests/output/checkpoint/test_restart \
	tests/output/field/test_field tests/output/field/test_snapshots tests/output/field/test_vti tests/output/field/test_xdmf \
	tests/output/page/test_page tests/output/page/test_thin tests/output/picture/temperature/test_animation tests/output/picture/temperature/test_colormap \
	tests/output/picture/test_convergence tests/output/picture/drawing/test_drawing tests/output/picture/temperature/test_picture \
	tests/output/picture/temperature/test_isotherms tests/output/picture/canvas/test_text \
	tests/output/report/test_answers_csv tests/output/report/test_json tests/output/report/test_text \
	tests/problem/test_curve tests/problem/test_problem tests/problem/test_remarks tests/problem/test_system \
	tests/problem/test_value tests/problem/test_walls tests/problem/test_window \
	tests/problem/assembly/test_assess tests/problem/assembly/test_build tests/problem/assembly/test_refusals \
	tests/problem/assembly/test_retime \
	tests/problem/cells/test_cells tests/problem/cells/test_map_picture tests/problem/cells/test_maps \
	tests/problem/cells/test_shape \
	tests/problem/laws/test_law_table tests/problem/laws/test_law_walls tests/problem/laws/test_laws \
	tests/run/test_fallback tests/run/test_forecast tests/run/test_job tests/run/test_method tests/run/plan/test_plan tests/run/test_quantity tests/run/test_ranks \
	tests/run/test_warm_up tests/slurm/test_slurm \
	tests/solve/test_accept tests/solve/test_adversarial tests/solve/test_chebyshev tests/solve/test_chebyshev_run \
	tests/solve/test_closed_forms tests/solve/test_criteria tests/solve/test_floor tests/solve/test_jacobi tests/solve/test_judge tests/solve/test_levels tests/solve/test_multigrid tests/solve/test_multigrid_large tests/solve/test_multigrid_parts tests/solve/test_multigrid_tail tests/solve/test_order \
	tests/solve/test_pace tests/solve/test_pieces tests/solve/test_singular tests/solve/test_solve \
	tests/time/test_adaptive tests/time/test_events tests/time/test_steps tests/time/test_timed_walls tests/time/test_transient

## Faults: a library that is loaded before the program's own, and a program that tries them all.
HS_FAULT_FILES = tests/faults/test_faults.c tests/faults/calls.h tests/faults/cases.c tests/faults/cases.h tests/faults/judge.c tests/faults/judge.h \
	tests/faults/play.c tests/faults/play.h tests/faults/scenes.h

## The longest ones start first, so that they keep all processors busy to the end.
HS_LONG_UNIT_TESTS = tests/faults/test_faults tests/backend/test_backend tests/backend/test_backend_forms tests/solve/test_replay
HS_LONG_SHELL_TESTS = \
	tests/doc.sh tests/cli/ranks_files.sh tests/slurm/jobs.sh tests/cli/ranks.sh tests/faults/ranks.sh \
	tests/slurm/submit.sh tests/cli/restart.sh tests/cli/bench_cli.sh tests/output/page.sh tests/python.sh \
	tests/cli/cli.sh tests/faults/commands.sh tests/cli/exit_codes.sh tests/cli/outputs.sh

## What needs CUDA's library to be built, and a device to say much.
HS_CUDA_TESTS = tests/backend/cuda/test_device tests/backend/cuda/test_store
HS_CUDA_HELPERS = tests/backend/cuda/hold_memory

HS_SHELL_TESTS = \
	tests/api/installed.sh \
	tests/includes.sh tests/bench/peers.sh \
	tests/comm/mpi.sh tests/comm/nccl.sh tests/run/overlapped.sh \
	tests/cli/completion.sh tests/cli/device_failures.sh tests/cli/force.sh tests/cli/inputs.sh tests/cli/lock.sh \
	tests/cli/method.sh tests/cli/multigrid.sh tests/cli/plan.sh tests/cli/quickstart.sh tests/cli/rounding.sh tests/cli/validate.sh \
	tests/cli/pictures.sh tests/output/field/readers.sh tests/cli/version.sh tests/slurm/queue.sh

HS_TEST_INPUTS = tests/cli tests/config tests/doc tests/output/field/readers tests/output/page/browser.py tests/output/page/check_page.py \
	tests/slurm/sacct.txt tests/tap.sh

EXTRA_DIST += $(HS_LONG_SHELL_TESTS) $(HS_SHELL_TESTS) $(HS_TEST_INPUTS) tests/faults/gallery.sh scripts/tap-merge.sh

## A program is one source file of its name where nothing else is said; what programs share is a library.
tests_libsupport_a_SOURCES = \
	tests/answers/plate.c tests/answers/plate.h tests/answers/plate_solve.c \
	tests/backend/compare.c tests/backend/compare.h tests/backend/pairs.c tests/backend/pairs.h \
	tests/backend/suite.c tests/backend/suite.h tests/backend/systems.c tests/backend/systems.h \
	tests/comm/ranks.c tests/comm/ranks.h tests/config/describe.c tests/config/describe.h \
	tests/folder.c tests/folder.h tests/runs.c tests/runs.h tests/support.c tests/support.h \
	tests/output/cut.c tests/output/cut.h tests/output/fixture.c tests/output/fixture.h tests/output/image.c tests/output/image.h \
	tests/output/sample.c tests/output/sample.h \
	tests/problem/parts.c tests/problem/parts.h tests/problem/plain.c tests/problem/plain.h \
	tests/problem/random.c tests/problem/random.h tests/problem/shapes.c tests/problem/shapes.h tests/problem/windows.c tests/problem/windows.h \
	tests/solve/cases.c tests/solve/cases.h tests/solve/direct.c tests/solve/direct.h \
	tests/solve/plates.c tests/solve/plates.h \
	tests/time/square.c tests/time/square.h
tests_backend_test_backend_SOURCES = tests/backend/test_backend.c tests/backend/advance.c tests/backend/values.c \
	tests/backend/reference/formula.c
tests_backend_test_backend_forms_SOURCES = tests/backend/test_backend_forms.c tests/backend/reference/balance.c
tests_faults_test_faults_SOURCES = $(HS_FAULT_FILES)
if HAVE_FAULTS
check_PROGRAMS += tests/faults/inject.so
endif
if HAVE_FAULTS
check_PROGRAMS += tests/comm/fake_nccl.so
endif
tests_comm_fake_nccl_so_SOURCES = tests/comm/fake_nccl.c
tests_comm_fake_nccl_so_CFLAGS = $(tests_faults_inject_so_CFLAGS) -Wno-missing-prototypes
tests_comm_fake_nccl_so_LDFLAGS = -shared
tests_comm_fake_nccl_so_LDADD =
tests_faults_inject_so_SOURCES = tests/faults/inject.c tests/faults/calls.h
tests_faults_inject_so_CFLAGS = $(AM_CFLAGS) -fPIC -fvisibility=default
tests_faults_inject_so_LDFLAGS = -shared
tests_faults_inject_so_LDADD = $(DL_LIBS)
if HAVE_CUDA
tests_backend_cuda_test_device_SOURCES = tests/backend/cuda/test_device.c tests/backend/cuda/trap.cu
tests_backend_cuda_hold_memory_SOURCES = tests/backend/cuda/hold_memory.c
tests_backend_cuda_hold_memory_LDADD = $(CUDA_LIBS)
endif
CLEANFILES += tests/backend/cuda/trap.d
-include tests/backend/cuda/trap.d
AM_DEFAULT_SOURCE_EXT = .c
LDADD = tests/libsupport.a $(HS_LDADD) $(CMOCKA_LIBS)

## The kernels on the CPU. Where that cannot be, a program that says why takes their place.
HS_EMULATE_FILES = tests/kernels/emulate/device.h tests/kernels/emulate/emulate.h tests/kernels/emulate/grid.h tests/kernels/emulate/primitives.h
if HAVE_EMULATE
tests_kernels_test_blocked_kernel_SOURCES = tests/kernels/test_blocked_kernel.cpp $(HS_EMULATE_FILES)
tests_kernels_test_blocked_kernel_CPPFLAGS = $(AM_CPPFLAGS)
tests_kernels_test_blocked_kernel_CXXFLAGS = $(HS_EMULATE_CXXFLAGS)
tests_kernels_test_blocked_kernel_LINK = $(CXXLINK)
tests_kernels_test_product_kernel_SOURCES = tests/kernels/test_product_kernel.cpp $(HS_EMULATE_FILES)
tests_kernels_test_product_kernel_CPPFLAGS = $(AM_CPPFLAGS)
tests_kernels_test_product_kernel_CXXFLAGS = $(HS_EMULATE_CXXFLAGS)
tests_kernels_test_product_kernel_LINK = $(CXXLINK)
tests_kernels_test_shares_kernel_SOURCES = tests/kernels/test_shares_kernel.cpp $(HS_EMULATE_FILES)
tests_kernels_test_shares_kernel_CPPFLAGS = $(AM_CPPFLAGS)
tests_kernels_test_shares_kernel_CXXFLAGS = $(HS_EMULATE_CXXFLAGS)
tests_kernels_test_shares_kernel_LINK = $(CXXLINK)
tests_kernels_test_resident_kernel_SOURCES = tests/kernels/test_resident_kernel.cpp $(HS_EMULATE_FILES)
tests_kernels_test_resident_kernel_CPPFLAGS = $(AM_CPPFLAGS)
tests_kernels_test_resident_kernel_CXXFLAGS = $(HS_EMULATE_CXXFLAGS)
tests_kernels_test_resident_kernel_LINK = $(CXXLINK)
tests_kernels_test_sweep_kernels_SOURCES = tests/kernels/test_sweep_kernels.cpp $(HS_EMULATE_FILES)
tests_kernels_test_sweep_kernels_CPPFLAGS = $(AM_CPPFLAGS)
tests_kernels_test_sweep_kernels_CXXFLAGS = $(HS_EMULATE_CXXFLAGS)
tests_kernels_test_sweep_kernels_LINK = $(CXXLINK)
tests_kernels_test_tail_kernel_SOURCES = tests/kernels/test_tail_kernel.cpp $(HS_EMULATE_FILES)
tests_kernels_test_tail_kernel_CPPFLAGS = $(AM_CPPFLAGS)
tests_kernels_test_tail_kernel_CXXFLAGS = $(HS_EMULATE_CXXFLAGS)
tests_kernels_test_tail_kernel_LINK = $(CXXLINK)
else
tests_kernels_test_blocked_kernel_SOURCES = tests/kernels/emulate/absent.c
tests_kernels_test_blocked_kernel_CPPFLAGS = $(AM_CPPFLAGS) -DHS_EMULATE_WHY='"$(hs_emulate_why)"'
tests_kernels_test_blocked_kernel_LINK = $(LINK)
tests_kernels_test_product_kernel_SOURCES = tests/kernels/emulate/absent.c
tests_kernels_test_product_kernel_CPPFLAGS = $(AM_CPPFLAGS) -DHS_EMULATE_WHY='"$(hs_emulate_why)"'
tests_kernels_test_product_kernel_LINK = $(LINK)
tests_kernels_test_shares_kernel_SOURCES = tests/kernels/emulate/absent.c
tests_kernels_test_shares_kernel_CPPFLAGS = $(AM_CPPFLAGS) -DHS_EMULATE_WHY='"$(hs_emulate_why)"'
tests_kernels_test_shares_kernel_LINK = $(LINK)
tests_kernels_test_resident_kernel_SOURCES = tests/kernels/emulate/absent.c
tests_kernels_test_resident_kernel_CPPFLAGS = $(AM_CPPFLAGS) -DHS_EMULATE_WHY='"$(hs_emulate_why)"'
tests_kernels_test_resident_kernel_LINK = $(LINK)
tests_kernels_test_sweep_kernels_SOURCES = tests/kernels/emulate/absent.c
tests_kernels_test_sweep_kernels_CPPFLAGS = $(AM_CPPFLAGS) -DHS_EMULATE_WHY='"$(hs_emulate_why)"'
tests_kernels_test_sweep_kernels_LINK = $(LINK)
tests_kernels_test_tail_kernel_SOURCES = tests/kernels/emulate/absent.c
tests_kernels_test_tail_kernel_CPPFLAGS = $(AM_CPPFLAGS) -DHS_EMULATE_WHY='"$(hs_emulate_why)"'
tests_kernels_test_tail_kernel_LINK = $(LINK)
endif

## Harnesses of fuzzers, here with a main function that reads the kept inputs; scripts/fuzz.sh links a fuzzer in its place.
HS_FUZZERS = tests/fuzz/fuzz_checkpoint tests/fuzz/fuzz_config tests/fuzz/fuzz_csv tests/fuzz/fuzz_field tests/fuzz/fuzz_map \
	tests/fuzz/fuzz_png tests/fuzz/fuzz_tuning
HS_FUZZ_MAIN = tests/fuzz/libreplay.a
HS_FUZZ_LIBS = tests/fuzz/libfuzz.a $(HS_LDADD)
HS_FUZZ_NEEDS = tests/fuzz/libfuzz.a tests/fuzz/libreplay.a libheatsolve.a
tests_fuzz_libfuzz_a_SOURCES = tests/fuzz/fuzz.c tests/fuzz/fuzz.h
tests_fuzz_libreplay_a_SOURCES = tests/fuzz/replay.c
tests_fuzz_fuzz_checkpoint_LDADD = $(HS_FUZZ_MAIN) $(HS_FUZZ_LIBS)
tests_fuzz_fuzz_checkpoint_DEPENDENCIES = $(HS_FUZZ_NEEDS)
tests_fuzz_fuzz_config_LDADD = $(HS_FUZZ_MAIN) $(HS_FUZZ_LIBS)
tests_fuzz_fuzz_config_DEPENDENCIES = $(HS_FUZZ_NEEDS)
tests_fuzz_fuzz_csv_LDADD = $(HS_FUZZ_MAIN) $(HS_FUZZ_LIBS)
tests_fuzz_fuzz_csv_DEPENDENCIES = $(HS_FUZZ_NEEDS)
tests_fuzz_fuzz_field_LDADD = $(HS_FUZZ_MAIN) $(HS_FUZZ_LIBS)
tests_fuzz_fuzz_field_DEPENDENCIES = $(HS_FUZZ_NEEDS)
tests_fuzz_fuzz_map_LDADD = $(HS_FUZZ_MAIN) $(HS_FUZZ_LIBS)
tests_fuzz_fuzz_map_DEPENDENCIES = $(HS_FUZZ_NEEDS)
tests_fuzz_fuzz_png_LDADD = $(HS_FUZZ_MAIN) $(HS_FUZZ_LIBS)
tests_fuzz_fuzz_png_DEPENDENCIES = $(HS_FUZZ_NEEDS)
tests_fuzz_fuzz_tuning_LDADD = $(HS_FUZZ_MAIN) $(HS_FUZZ_LIBS)
tests_fuzz_fuzz_tuning_DEPENDENCIES = $(HS_FUZZ_NEEDS)
tests_fuzz_seeds_LDADD = $(HS_FUZZ_LIBS)
tests_fuzz_dictionary_LDADD = $(HS_LDADD)
EXTRA_DIST += tests/fuzz/corpus

## Before a release: every fault, on all processors, and what came of them as a table; then the runs of the gallery, ended at
## random moments and resumed on another backend. FAULTS chooses some faults alone.
check-faults: all tests/faults/test_faults
	test -n '$(hs_faults_why)' || $(MAKE) $(AM_MAKEFLAGS) tests/faults/inject.so
	$(AM_TESTS_ENVIRONMENT) tests/faults/test_faults all -j `nproc` $(FAULTS)
	$(AM_TESTS_ENVIRONMENT) test -n "$(FAULTS)" || $(BASH) $(top_srcdir)/tests/faults/gallery.sh -n 20 -b 'cpu-reference cpu'
	$(AM_TESTS_ENVIRONMENT) test -n "$(FAULTS)" || $(BASH) $(top_srcdir)/tests/faults/ranks.sh 40
.PHONY: check-faults

TEST_EXTENSIONS = .sh
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_COMPILER = $(BASH) $(top_srcdir)/scripts/tap-merge.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
SH_LOG_COMPILER = $(LOG_COMPILER) $(BASH)
## Memory that nobody has written is not 0. Threads that have nothing to do sleep at once: the OpenMP runtime would keep them spinning for milliseconds after every
## parallel region, on cores that the other tests need.
AM_TESTS_ENVIRONMENT = \
	MALLOC_PERTURB_=165; export MALLOC_PERTURB_; \
	OMP_WAIT_POLICY=passive; export OMP_WAIT_POLICY; \
	CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	HS_TEST_SRCDIR='$(abs_top_srcdir)/tests'; export HS_TEST_SRCDIR; \
	HS_TEST_BUILDDIR='$(abs_top_builddir)/tests'; export HS_TEST_BUILDDIR; \
	XDG_CACHE_HOME='$(abs_top_builddir)/tests/cache'; export XDG_CACHE_HOME; \
	HS_FAULT_LIBRARY='$(abs_top_builddir)/tests/faults/inject.so'; export HS_FAULT_LIBRARY; \
	HS_FAULT_WHY='$(hs_faults_why)'; export HS_FAULT_WHY; \
	HEATSOLVE='$(abs_top_builddir)/heatsolve$(EXEEXT)'; export HEATSOLVE;

## What programs that tests start keep there.
clean-local:
	rm -rf tests/cache

if HAVE_CMOCKA
check_LIBRARIES = tests/libsupport.a tests/fuzz/libfuzz.a tests/fuzz/libreplay.a
check_PROGRAMS += $(HS_LONG_UNIT_TESTS) $(HS_UNIT_TESTS) $(HS_FUZZERS) tests/comm/nccl_ranks tests/fuzz/dictionary tests/fuzz/seeds
TESTS += $(HS_LONG_UNIT_TESTS) $(HS_LONG_SHELL_TESTS) $(HS_UNIT_TESTS) $(HS_SHELL_TESTS) $(HS_FUZZERS)
if HAVE_CUDA
check_PROGRAMS += $(HS_CUDA_TESTS) $(HS_CUDA_HELPERS)
TESTS += $(HS_CUDA_TESTS)
endif
## It takes the GPU's memory away from others.
tests/cli/device_failures.log: $(filter-out tests/cli/device_failures.log,$(TEST_LOGS))
else
check-local:
	@echo 'make check: the test programs need cmocka: $(hs_cmocka_why)' >&2
	@echo 'Then run configure again. Nothing was tested.' >&2
	@exit 1
endif
