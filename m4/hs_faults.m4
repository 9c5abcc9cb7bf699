dnl HS_FAULTS: can tests/faults/inject.so be loaded before a program's own libraries? Sets hs_faults_why, DL_LIBS and the
dnl conditional HAVE_FAULTS.
AC_DEFUN([HS_FAULTS], [
  hs_faults_why=
  DL_LIBS=
  AC_CHECK_LIB([dl], [dlsym], [DL_LIBS=-ldl])
  AC_CHECK_HEADER([execinfo.h], [], [hs_faults_why='the C library has no backtraces'])
  AS_CASE([" $CFLAGS $LDFLAGS"],
    [*-fsanitize*], [hs_faults_why='sanitizers have functions for memory of their own'])
  AM_CONDITIONAL([HAVE_FAULTS], [test -z "$hs_faults_why"])
  AC_SUBST([DL_LIBS])
  AC_SUBST([hs_faults_why])
])
