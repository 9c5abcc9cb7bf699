## tests: cmocka programs and shell scripts, all speaking TAP to automake's parallel harness.

HS_UNIT_TESTS = \
	tests/test_answers \
	tests/test_backend \
	tests/test_backend_forms \
	tests/test_base \
	tests/test_blocked_kernel \
	tests/test_config \
	tests/test_fallback \
	tests/test_geometry \
	tests/test_large \
	tests/test_methods \
	tests/test_order \
	tests/test_output \
	tests/test_problem \
	tests/test_rate \
	tests/test_report \
	tests/test_resident_kernel \
	tests/test_shares \
	tests/test_solve \
	tests/test_streamed \
	tests/test_transient \
	tests/test_tuning \
	tests/test_walls

## What needs CUDA's library to be built, and a device to say much.
HS_CUDA_TESTS = tests/test_device
HS_CUDA_HELPERS = tests/hold_memory

HS_SHELL_TESTS = \
	tests/bench_cli.sh \
	tests/cli.sh \
	tests/device_failures.sh \
	tests/exit_codes.sh \
	tests/outputs.sh \
	tests/validate.sh

HS_TEST_INPUTS = \
	tests/cli \
	tests/bench.c \
	tests/bench.h \
	tests/config \
	tests/plate.c \
	tests/plate.h \
	tests/support.c \
	tests/support.h \
	tests/tap.sh

EXTRA_DIST += $(HS_SHELL_TESTS) $(HS_TEST_INPUTS) scripts/tap-merge.sh

## Every program is one source file of its name; most share helper functions.
tests_test_answers_SOURCES = tests/test_answers.c tests/plate.c tests/plate.h tests/support.c tests/support.h
tests_test_backend_SOURCES = tests/test_backend.c tests/bench.c tests/bench.h tests/support.c tests/support.h
tests_test_backend_forms_SOURCES = tests/test_backend_forms.c tests/bench.c tests/bench.h tests/support.c tests/support.h
if HAVE_CUDA
tests_test_device_SOURCES = tests/test_device.c tests/trap.cu tests/support.c tests/support.h
tests_hold_memory_SOURCES = tests/hold_memory.c
tests_hold_memory_LDADD = $(CUDA_LIBS)
endif
CLEANFILES += tests/trap.d
-include tests/trap.d
tests_test_fallback_SOURCES = tests/test_fallback.c tests/support.c tests/support.h
tests_test_geometry_SOURCES = tests/test_geometry.c tests/support.c tests/support.h
tests_test_large_SOURCES = tests/test_large.c tests/bench.c tests/bench.h tests/support.c tests/support.h
tests_test_methods_SOURCES = tests/test_methods.c tests/support.c tests/support.h
tests_test_order_SOURCES = tests/test_order.c tests/support.c tests/support.h
tests_test_problem_SOURCES = tests/test_problem.c tests/support.c tests/support.h
tests_test_report_SOURCES = tests/test_report.c tests/plate.c tests/plate.h tests/support.c tests/support.h
tests_test_shares_SOURCES = tests/test_shares.c tests/support.c tests/support.h
tests_test_solve_SOURCES = tests/test_solve.c tests/support.c tests/support.h
tests_test_streamed_SOURCES = tests/test_streamed.c tests/support.c tests/support.h
tests_test_transient_SOURCES = tests/test_transient.c tests/support.c tests/support.h
tests_test_tuning_SOURCES = tests/test_tuning.c tests/support.c tests/support.h
tests_test_walls_SOURCES = tests/test_walls.c tests/support.c tests/support.h
LDADD = $(HS_LDADD) $(CMOCKA_LIBS)

## The kernels on the CPU. Where that cannot be, a program that says why takes their place.
HS_EMULATE_FILES = tests/emulate/device.h tests/emulate/emulate.h tests/emulate/grid.h tests/emulate/primitives.h
if HAVE_EMULATE
tests_test_blocked_kernel_SOURCES = tests/test_blocked_kernel.cpp $(HS_EMULATE_FILES)
tests_test_blocked_kernel_CPPFLAGS = $(AM_CPPFLAGS)
tests_test_blocked_kernel_CXXFLAGS = $(HS_EMULATE_CXXFLAGS)
tests_test_blocked_kernel_LINK = $(CXXLINK)
tests_test_resident_kernel_SOURCES = tests/test_resident_kernel.cpp $(HS_EMULATE_FILES)
tests_test_resident_kernel_CPPFLAGS = $(AM_CPPFLAGS)
tests_test_resident_kernel_CXXFLAGS = $(HS_EMULATE_CXXFLAGS)
tests_test_resident_kernel_LINK = $(CXXLINK)
else
tests_test_blocked_kernel_SOURCES = tests/emulate/absent.c
tests_test_blocked_kernel_CPPFLAGS = $(AM_CPPFLAGS) -DHS_EMULATE_WHY='"$(hs_emulate_why)"'
tests_test_blocked_kernel_LINK = $(LINK)
tests_test_resident_kernel_SOURCES = tests/emulate/absent.c
tests_test_resident_kernel_CPPFLAGS = $(AM_CPPFLAGS) -DHS_EMULATE_WHY='"$(hs_emulate_why)"'
tests_test_resident_kernel_LINK = $(LINK)
endif

TEST_EXTENSIONS = .sh
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_COMPILER = $(BASH) $(top_srcdir)/scripts/tap-merge.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
SH_LOG_COMPILER = $(LOG_COMPILER) $(BASH)
AM_TESTS_ENVIRONMENT = \
	CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	HS_TEST_SRCDIR='$(abs_top_srcdir)/tests'; export HS_TEST_SRCDIR; \
	HS_TEST_BUILDDIR='$(abs_top_builddir)/tests'; export HS_TEST_BUILDDIR; \
	XDG_CACHE_HOME='$(abs_top_builddir)/tests/cache'; export XDG_CACHE_HOME; \
	HEATSOLVE='$(abs_top_builddir)/heatsolve$(EXEEXT)'; export HEATSOLVE;

if HAVE_CMOCKA
check_PROGRAMS += $(HS_UNIT_TESTS)
TESTS += $(HS_UNIT_TESTS) $(HS_SHELL_TESTS)
if HAVE_CUDA
check_PROGRAMS += $(HS_CUDA_TESTS) $(HS_CUDA_HELPERS)
TESTS += $(HS_CUDA_TESTS)
endif
## It takes the GPU's memory away from others.
tests/device_failures.log: $(filter-out tests/device_failures.log,$(TEST_LOGS))
else
check-local:
	@echo 'make check: the test programs need cmocka: $(hs_cmocka_why)' >&2
	@echo 'Then run configure again. Nothing was tested.' >&2
	@exit 1
endif
