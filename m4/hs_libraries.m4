dnl Libraries. A missing one is collected, not reported at once, so that one run of configure
dnl names everything that has to be installed, with the package names of two distributions.

dnl HS_MISSING(WHAT, MODULE, DEBIAN PACKAGE, FEDORA PACKAGE, REASON)
AC_DEFUN([HS_MISSING], [
  hs_missing="$hs_missing
  $1: Debian, Ubuntu: $3; Fedora: $4; pkg-config module: $2. $5"
  hs_missing_debian="$hs_missing_debian $3"
  hs_missing_fedora="$hs_missing_fedora $4"
])

dnl HS_REQUIRE(VARIABLE, NAME, PKG-CONFIG MODULE, DEBIAN PACKAGE, FEDORA PACKAGE)
AC_DEFUN([HS_REQUIRE], [
  PKG_CHECK_MODULES([$1], [$3], [hs_$2_version=`$PKG_CONFIG --modversion $2 2>/dev/null`],
    [HS_MISSING([$2], [$3], [$4], [$5], [$$1_PKG_ERRORS])])
])

AC_DEFUN([HS_REQUIRE_DONE], [
  AS_IF([test -n "$hs_missing"], [AC_MSG_ERROR([libraries are missing:$hs_missing

Install them with
  apt-get install$hs_missing_debian
or
  dnf install$hs_missing_fedora
or run scripts/quickstart.sh, which does so. A library in an unusual place is found through PKG_CONFIG_PATH.])])
])

dnl HS_HDF5_TRY(CFLAGS, LIBS): do they compile and link a program that makes a dimension scale and a virtual dataset (HDF5 1.10)?
AC_DEFUN([HS_HDF5_TRY], [
  hs_save_CFLAGS=$CFLAGS
  hs_save_LIBS=$LIBS
  CFLAGS="$CFLAGS $1"
  LIBS="$2 $LIBS"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[
    #include <hdf5.h>
    #include <hdf5_hl.h>]], [[return H5DSset_scale(0, "x") < 0 || H5Pset_virtual(0, 0, ".", "x", 0) < 0;]])],
    [hs_hdf5_ok=yes], [hs_hdf5_ok=no])
  CFLAGS=$hs_save_CFLAGS
  LIBS=$hs_save_LIBS
])

dnl HS_HDF5: the serial library if there is one, else whatever links; never two at once. The
dnl high-level library (dimension scales) is missing from some distributions' .pc files.
AC_DEFUN([HS_HDF5], [
  AC_ARG_VAR([HDF5_CFLAGS], [C compiler flags for HDF5, instead of asking pkg-config])
  AC_ARG_VAR([HDF5_LIBS], [linker flags for HDF5 and its high-level library, instead of asking pkg-config])
  AC_MSG_CHECKING([for HDF5])
  hs_hdf5_ok=no
  hs_hdf5_tried=
  AS_IF([test -n "$HDF5_LIBS"], [
    HS_HDF5_TRY([$HDF5_CFLAGS], [$HDF5_LIBS])
    hs_hdf5_module='HDF5_LIBS'
    hs_hdf5_tried=" HDF5_LIBS"
  ], [
    for hs_hdf5_module in hdf5-serial hdf5 hdf5-openmpi hdf5-mpich; do
      hs_hdf5_tried="$hs_hdf5_tried $hs_hdf5_module"
      $PKG_CONFIG --exists $hs_hdf5_module 2>/dev/null || continue
      HDF5_CFLAGS=`$PKG_CONFIG --cflags $hs_hdf5_module`
      hs_hdf5_libs=`$PKG_CONFIG --libs $hs_hdf5_module`
      hs_hdf5_hl=`AS_ECHO(["$hs_hdf5_libs"]) | sed -n 's/.*-l\(hdf5@<:@^ @:>@*\).*/\1/p'`
      hs_hdf5_hl=`AS_ECHO(["$hs_hdf5_hl"]) | sed 's/^hdf5\(_hl\)*/hdf5_hl/'`
      for HDF5_LIBS in "$hs_hdf5_libs" "-l$hs_hdf5_hl $hs_hdf5_libs" "`AS_ECHO(["$hs_hdf5_libs"]) | sed "s/-lhdf5/-l$hs_hdf5_hl -lhdf5/"`"; do
        HS_HDF5_TRY([$HDF5_CFLAGS], [$HDF5_LIBS])
        test "x$hs_hdf5_ok" = xyes && break 2
      done
    done
    AS_IF([test "x$hs_hdf5_ok" = xno], [
      hs_hdf5_module='no module'
      HDF5_CFLAGS=
      HDF5_LIBS='-lhdf5_hl -lhdf5'
      HS_HDF5_TRY([], [$HDF5_LIBS])])
  ])
  hs_hdf5_version=`$PKG_CONFIG --modversion $hs_hdf5_module 2>/dev/null`
  test -n "$hs_hdf5_version" || hs_hdf5_version='version unknown'
  AS_IF([test "x$hs_hdf5_ok" = xyes], [AC_MSG_RESULT([$hs_hdf5_version ($hs_hdf5_module)])], [
    AC_MSG_RESULT([no])
    HS_MISSING([HDF5 with its high-level library], [hdf5-serial or hdf5], [libhdf5-dev], [hdf5-devel],
      [Tried:$hs_hdf5_tried, and -lhdf5_hl -lhdf5; config.log has the details.])])
])

dnl HS_CMOCKA: only `make check` needs it.
AC_DEFUN([HS_CMOCKA], [
  AC_ARG_ENABLE([tests], [AS_HELP_STRING([--disable-tests], [do not look for cmocka; `make check` then says so])],
    [], [enable_tests=auto])
  hs_cmocka_why=
  AS_IF([test "x$enable_tests" = xno], [hs_cmocka_why='switched off by --disable-tests'],
    [PKG_CHECK_MODULES([CMOCKA], [cmocka >= 1.1.3], [hs_cmocka_version=`$PKG_CONFIG --modversion cmocka`],
      [hs_cmocka_why='not found; install libcmocka-dev (Debian, Ubuntu) or libcmocka-devel (Fedora)'])])
  AS_IF([test "x$enable_tests" = xyes && test -n "$hs_cmocka_why"],
    [AC_MSG_ERROR([--enable-tests needs cmocka (pkg-config module cmocka): $hs_cmocka_why])])
  AS_IF([test -n "$hs_cmocka_why"], [AC_MSG_WARN([make check will not work: cmocka: $hs_cmocka_why])])
  AM_CONDITIONAL([HAVE_CMOCKA], [test -z "$hs_cmocka_why"])
  AC_SUBST([hs_cmocka_why])
])
