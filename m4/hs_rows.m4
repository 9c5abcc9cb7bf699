dnl Instruction sets: src/backend/cpu/rows/rows.c is compiled once per set that the compiler knows,
dnl and the program picks one when it runs. So one binary suits every machine of an
dnl architecture, and nothing is compiled for the machine that happens to build it.

dnl HS_ROWS_ISA(NAME, FLAGS, INTRINSIC TEST): conditional and macro HS_HAVE_ROWS_<NAME>.
AC_DEFUN([HS_ROWS_ISA], [
  AS_VAR_PUSHDEF([hs_var], [hs_cv_rows_$1])
  AC_CACHE_CHECK([whether $CC builds for $1], [hs_var], [
    hs_save_CFLAGS=$CFLAGS
    CFLAGS="$HS_CFLAGS $2 $CFLAGS"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[
      #include <immintrin.h>
      #if !defined(__x86_64__)
      #error "not x86-64"
      #endif]], [[$3 return !__builtin_cpu_supports("avx2");]])],
      [AS_VAR_SET([hs_var], [yes])], [AS_VAR_SET([hs_var], [no])])
    CFLAGS=$hs_save_CFLAGS])
  AM_CONDITIONAL([HS_HAVE_ROWS_]m4_toupper([$1]), [AS_VAR_TEST_SET([hs_var]) && test "x$hs_var" = xyes])
  AS_VAR_IF([hs_var], [yes], [
    AC_DEFINE([HS_HAVE_ROWS_]m4_toupper([$1]), [1], [Define to 1 if the row kernels were also built for $1.])
    hs_rows_found="$hs_rows_found $1"
    HS_ROWS_[]m4_toupper([$1])_CFLAGS="$2"], [hs_rows_why="$hs_rows_why; no $1: $CC does not build it for $host_cpu"])
  AC_SUBST([HS_ROWS_]m4_toupper([$1])[_CFLAGS])
  AS_VAR_POPDEF([hs_var])
])

AC_DEFUN([HS_ROWS], [
  hs_rows_found=baseline
  hs_rows_why=
  HS_ROWS_ISA([avx2], [-mavx2 -mfma],
    [__m256d a = _mm256_set1_pd(1.0); a = _mm256_fmadd_pd(a, a, a); if (_mm256_cvtsd_f64(a) < 0.0) return 2;])
  HS_ROWS_ISA([avx512], [-mavx512f -mavx512vl -mavx512dq -mfma -mprefer-vector-width=512],
    [__m512d a = _mm512_set1_pd(1.0); a = _mm512_fmadd_pd(a, a, a); if (_mm512_reduce_add_pd(a) < 0.0) return 2;])
])
