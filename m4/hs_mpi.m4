dnl MPI, for runs of many ranks, with the HDF5 library that belongs to it: all ranks write into one file.

dnl HS_MPI_TRY: do the flags compile and link a program that opens a file for all ranks?
AC_DEFUN([HS_MPI_TRY], [
  hs_save_CFLAGS=$CFLAGS
  hs_save_LIBS=$LIBS
  CFLAGS="$CFLAGS $MPI_CFLAGS $hs_mpi_hdf5_cflags"
  LIBS="$hs_mpi_hdf5_libs $MPI_LIBS $LIBS"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[
    #include <mpi.h>
    #include <hdf5.h>
    #include <hdf5_hl.h>]], [[return H5Pset_fapl_mpio(H5P_DEFAULT, MPI_COMM_WORLD, MPI_INFO_NULL) < 0 || H5DSset_scale(0, "x") < 0;]])],
    [hs_mpi_ok=yes], [hs_mpi_ok=no])
  CFLAGS=$hs_save_CFLAGS
  LIBS=$hs_save_LIBS
])

dnl HS_MPI: OpenMPI or MPICH by pkg-config. Sets HDF5_CFLAGS and HDF5_LIBS, so that HS_HDF5 need not look.
AC_DEFUN([HS_MPI], [
  AC_ARG_WITH([mpi], [AS_HELP_STRING([--with-mpi], [runs of many ranks; needs OpenMPI or MPICH and its HDF5. Default: where both are found])],
    [], [with_mpi=check])
  hs_mpi_why=
  hs_mpi_hdf5=
  AS_IF([test "x$with_mpi" = xno], [hs_mpi_why='switched off by --with-mpi=no'], [
    AC_MSG_CHECKING([for MPI and its HDF5])
    hs_mpi_ok=no
    for hs_mpi_pair in ompi-c:hdf5-openmpi mpich:hdf5-mpich mpi-c:hdf5-openmpi; do
      hs_mpi_module=`AS_ECHO(["$hs_mpi_pair"]) | cut -d: -f1`
      hs_mpi_hdf5=`AS_ECHO(["$hs_mpi_pair"]) | cut -d: -f2`
      $PKG_CONFIG --exists $hs_mpi_module $hs_mpi_hdf5 2>/dev/null || continue
      MPI_CFLAGS=`$PKG_CONFIG --cflags $hs_mpi_module`
      MPI_LIBS=`$PKG_CONFIG --libs $hs_mpi_module`
      hs_mpi_hdf5_cflags=`$PKG_CONFIG --cflags $hs_mpi_hdf5`
      hs_mpi_hdf5_libs=`$PKG_CONFIG --libs $hs_mpi_hdf5 | sed 's/-lhdf5/-lhdf5_hl -lhdf5/'`
      HS_MPI_TRY
      test "x$hs_mpi_ok" = xyes && break
    done
    AS_IF([test "x$hs_mpi_ok" = xyes], [
      hs_mpi_version=`$PKG_CONFIG --modversion $hs_mpi_module`
      HDF5_CFLAGS="$hs_mpi_hdf5_cflags $MPI_CFLAGS"
      HDF5_LIBS="$hs_mpi_hdf5_libs $MPI_LIBS"
      AC_MSG_RESULT([$hs_mpi_module $hs_mpi_version, $hs_mpi_hdf5])
    ], [
      AC_MSG_RESULT([no])
      hs_mpi_why='not found; install libopenmpi-dev and libhdf5-openmpi-dev (Debian, Ubuntu) or openmpi-devel and hdf5-openmpi-devel (Fedora)'
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
