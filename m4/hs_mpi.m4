dnl MPI, for runs of many ranks.

dnl HS_MPI_TRY: do the flags compile and link a program?
AC_DEFUN([HS_MPI_TRY], [
  hs_save_CFLAGS=$CFLAGS
  hs_save_LIBS=$LIBS
  CFLAGS="$CFLAGS $MPI_CFLAGS"
  LIBS="$MPI_LIBS $LIBS"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]], [[int given; return MPI_Init_thread(0, 0, MPI_THREAD_FUNNELED, &given);]])],
    [hs_mpi_ok=yes], [hs_mpi_ok=no])
  CFLAGS=$hs_save_CFLAGS
  LIBS=$hs_save_LIBS
])

dnl HS_MPI: OpenMPI or MPICH by pkg-config. Any HDF5 will do: ranks write their parts of a file themselves (src/io/file_ranks.h).
AC_DEFUN([HS_MPI], [
  AC_ARG_WITH([mpi], [AS_HELP_STRING([--with-mpi], [runs of many ranks; needs OpenMPI or MPICH. Default: where it is found])],
    [], [with_mpi=check])
  hs_mpi_why=
  AS_IF([test "x$with_mpi" = xno], [hs_mpi_why='switched off by --with-mpi=no'], [
    AC_MSG_CHECKING([for MPI])
    hs_mpi_ok=no
    for hs_mpi_module in ompi-c mpich mpi-c; do
      $PKG_CONFIG --exists $hs_mpi_module 2>/dev/null || continue
      MPI_CFLAGS=`$PKG_CONFIG --cflags $hs_mpi_module`
      MPI_LIBS=`$PKG_CONFIG --libs $hs_mpi_module`
      HS_MPI_TRY
      test "x$hs_mpi_ok" = xyes && break
    done
    AS_IF([test "x$hs_mpi_ok" = xyes], [
      hs_mpi_version=`$PKG_CONFIG --modversion $hs_mpi_module`
      AC_MSG_RESULT([$hs_mpi_module $hs_mpi_version])
    ], [
      AC_MSG_RESULT([no])
      hs_mpi_why='not found; install libopenmpi-dev (Debian, Ubuntu) or openmpi-devel (Fedora)'
    ])])
  AS_IF([test "x$with_mpi" = xyes && test -n "$hs_mpi_why"], [AC_MSG_ERROR([--with-mpi: $hs_mpi_why])])
  AS_IF([test -n "$hs_mpi_why"], [
    MPI_CFLAGS=
    MPI_LIBS=
    hs_mpi_text="no: $hs_mpi_why"
  ], [hs_mpi_text="$hs_mpi_version ($hs_mpi_module)"])
  AM_CONDITIONAL([HAVE_MPI], [test -z "$hs_mpi_why"])
  AC_SUBST([MPI_CFLAGS])
  AC_SUBST([MPI_LIBS])
])
