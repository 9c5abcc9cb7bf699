dnl The compiler: its standard, its name, OpenMP, and the flags that every file is built with.
dnl Bit-for-bit equal fields rest on IEEE arithmetic without implicit contraction, so that is
dnl checked here once instead of being trusted.

dnl HS_C_STANDARD: C11 with the GNU extensions of the C library.
AC_DEFUN([HS_C_STANDARD], [
  AC_CACHE_CHECK([for the option of $CC for C11], [hs_cv_std], [
    hs_cv_std=none
    hs_save_CFLAGS=$CFLAGS
    for hs_flag in -std=gnu11 -std=c11 ''; do
      CFLAGS="$hs_save_CFLAGS $hs_flag"
      AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
        #include <math.h>
        #if __STDC_VERSION__ < 201112L
        #error "no C11"
        #endif
        _Static_assert(sizeof(double) == 8, "double");]], [[return !(fma(1.0, 1.0, 1.0) > 0.0);]])],
        [hs_cv_std=$hs_flag; break])
    done
    CFLAGS=$hs_save_CFLAGS])
  AS_IF([test "x$hs_cv_std" = xnone],
    [AC_MSG_ERROR([$CC does not compile C11. Install a current gcc or clang (Debian, Ubuntu: gcc; Fedora: gcc) or name one with CC=...])])
  HS_CFLAGS=$hs_cv_std
])

dnl HS_COMPILER_NAME: the first line of the compiler's own version text.
AC_DEFUN([HS_COMPILER_NAME], [
  AC_CACHE_CHECK([for the compiler's name], [hs_cv_compiler],
    [hs_cv_compiler=`$CC --version 2>/dev/null | sed -n '1{s/["\\\\]//g;p;}'`
     test -n "$hs_cv_compiler" || hs_cv_compiler=$CC])
])

dnl HS_OPENMP: required; the CPU backend has no other way to use more than one core.
AC_DEFUN([HS_OPENMP], [
  AC_OPENMP
  AS_IF([test "x$enable_openmp" = xno],
    [AC_MSG_ERROR([heatsolve cannot be built with --disable-openmp; run it with --threads 1 instead])])
  AS_CASE([x$ac_cv_prog_c_openmp],
    [x|xunsupported], [AC_MSG_ERROR([$CC does not support OpenMP. For gcc it is part of the compiler; for clang install libomp-dev (Debian, Ubuntu) or libomp-devel (Fedora)])])
])

dnl HS_CHECK_CFLAG(FLAG): adds FLAG to HS_CFLAGS if the compiler takes it without a warning.
AC_DEFUN([HS_CHECK_CFLAG], [
  AS_VAR_PUSHDEF([hs_var], [hs_cv_cflag_$1])
  AC_CACHE_CHECK([whether $CC accepts $1], [hs_var], [
    hs_save_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS -Werror $1"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])], [AS_VAR_SET([hs_var], [yes])], [AS_VAR_SET([hs_var], [no])])
    CFLAGS=$hs_save_CFLAGS])
  AS_VAR_IF([hs_var], [yes], [HS_CFLAGS="$HS_CFLAGS $1"])
  AS_VAR_POPDEF([hs_var])
])

dnl HS_CHECK_ARITHMETIC: the flags must leave IEEE arithmetic alone.
AC_DEFUN([HS_CHECK_ARITHMETIC], [
  AC_CACHE_CHECK([whether the flags keep IEEE arithmetic], [hs_cv_ieee], [
    hs_save_CFLAGS=$CFLAGS
    CFLAGS="$HS_CFLAGS $CFLAGS"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
      #include <float.h>
      #ifdef __FAST_MATH__
      #error "fast math"
      #endif
      #if FLT_EVAL_METHOD != 0
      #error "excess precision"
      #endif]], [])], [hs_cv_ieee=yes], [hs_cv_ieee=no])
    CFLAGS=$hs_save_CFLAGS])
  AS_IF([test "x$hs_cv_ieee" = xno],
    [AC_MSG_ERROR([heatsolve promises the same bits from every backend, which -ffast-math, -Ofast and x87 arithmetic break; take them out of CFLAGS ("$CFLAGS"), or add -mfpmath=sse -msse2 on 32-bit x86])])
])

dnl HS_FLAGS: HS_CFLAGS for every C file.
AC_DEFUN([HS_FLAGS], [
  HS_CHECK_CFLAG([-ffp-contract=off])
  AS_CASE([$HS_CFLAGS], [*-ffp-contract=off*], [],
    [AC_MSG_ERROR([$CC does not accept -ffp-contract=off, without which results differ between backends. Use gcc or clang])])
  HS_CHECK_CFLAG([-fno-math-errno])
  HS_CHECK_CFLAG([-fno-trapping-math])
  HS_CHECK_CFLAG([-fPIC])
  HS_CHECK_CFLAG([-fvisibility=hidden])
  m4_foreach_w([hs_warning], [-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
    -Wwrite-strings -Wformat=2 -Wno-unknown-pragmas], [HS_CHECK_CFLAG(hs_warning)])
  dnl clang's remarks on a loop that it leaves scalar, and on vectors as arguments, which inlined functions alone have here;
  dnl gcc does not know the first
  HS_CHECK_CFLAG([-Wpass-failed -Wno-pass-failed -Wno-psabi])
  AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [turn compiler warnings into errors])], [],
    [enable_werror=no])
  AS_IF([test "x$enable_werror" = xyes], [HS_CFLAGS="$HS_CFLAGS -Werror"])
  HS_CHECK_ARITHMETIC
  AC_SUBST([HS_CFLAGS])
])
