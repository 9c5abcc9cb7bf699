dnl What was found: as strings in config.h, for `heatsolve --version` and the reports, and as a
dnl table at the end of configure.

dnl HS_DEFINE_TEXT(MACRO, TEXT, DESCRIPTION): defines a C string; quotes and backslashes are dropped.
AC_DEFUN([HS_DEFINE_TEXT], [
  hs_text=`AS_ECHO(["$2"]) | tr -d '"\\\\' | tr -s ' '`
  AC_DEFINE_UNQUOTED([$1], ["$hs_text"], [$3])
])

AC_DEFUN([HS_BUILD_STRINGS], [
  HS_DEFINE_TEXT([HS_BUILD_COMPILER], [$hs_cv_compiler], [The C compiler's first line of --version.])
  HS_DEFINE_TEXT([HS_BUILD_CFLAGS], [-O2 $HS_CFLAGS $OPENMP_CFLAGS $CFLAGS], [The flags of most C files.])
  HS_DEFINE_TEXT([HS_BUILD_CUDA], [$hs_cuda_text], [CUDA release and GPU architectures, or "no: " and the reason.])
  HS_DEFINE_TEXT([HS_BUILD_MPI], [$hs_mpi_text], [MPI's version, or "no: " and the reason.])
  HS_DEFINE_TEXT([HS_BUILD_HDF5], [$hs_hdf5_version], [HDF5's version.])
  HS_DEFINE_TEXT([HS_BUILD_ISA], [$hs_rows_found], [Instruction sets that the row kernels were built for.])
])

AC_DEFUN([HS_SUMMARY], [
  AS_IF([test "x$prefix" = xNONE], [hs_prefix=$ac_default_prefix], [hs_prefix=$prefix])
  AS_IF([test -n "$hs_cmocka_why"], [hs_cmocka_text="no: $hs_cmocka_why"], [hs_cmocka_text="$hs_cmocka_version"])
  cat <<HS_EOF

$PACKAGE_NAME $PACKAGE_VERSION
  compiler          $hs_cv_compiler
  flags             -O2 (rows: -O3) $CFLAGS
  OpenMP            ${OPENMP_CFLAGS:-yes, no flag needed}
  instruction sets  $hs_rows_found$hs_rows_why
  CUDA              $hs_cuda_text
  MPI               $hs_mpi_text
  HDF5              $hs_hdf5_version ($hs_hdf5_module)
  cairo             $hs_cairo_version
  libpng            $hs_libpng_version
  inih              $hs_inih_version
  jansson           $hs_jansson_version
  muparser          $hs_muparser_version
  cmocka            $hs_cmocka_text
  install to        $hs_prefix

Now: make && make check
HS_EOF
])
