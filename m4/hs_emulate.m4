dnl HS_EMULATE: can tests run CUDA's device code on the CPU (tests/kernels/emulate/emulate.h)? They need a C++17 compiler, the
dnl headers of CUDA, and an x86-64 processor with fused multiply-add, whose presence they check when they run.
AC_DEFUN([HS_EMULATE], [
  HS_EMULATE_CXXFLAGS='-std=c++17 -O1 -mfma -ffp-contract=off -Wall -Wno-unknown-pragmas -Wno-sign-compare'
  AS_IF([test -n "$hs_cuda_why"], [hs_emulate_why='this build is without CUDA'], [
    AC_CACHE_CHECK([whether $CXX builds tests that run CUDA's device code], [hs_cv_emulate], [
      AC_LANG_PUSH([C++])
      hs_save_CXXFLAGS=$CXXFLAGS
      hs_save_CPPFLAGS=$CPPFLAGS
      hs_save_LIBS=$LIBS
      CXXFLAGS="$HS_EMULATE_CXXFLAGS $CXXFLAGS"
      CPPFLAGS="$CPPFLAGS $CUDA_CPPFLAGS"
      LIBS="$CUDA_LIBS $LIBS"
      AC_LINK_IFELSE([AC_LANG_PROGRAM([[
        #include <cuda_runtime_api.h>
        #include <vector_types.h>
        #include <map>
        #include <string>
        #if !defined __x86_64__ || !defined __linux__
        #error "not x86-64, or not Linux"
        #endif
        inline std::map<std::string, uint3> all;]],
        [[if constexpr (sizeof(void *) == 8) return (int)all.size() + !__builtin_cpu_supports("fma");]])],
        [hs_cv_emulate=yes], [hs_cv_emulate=no])
      LIBS=$hs_save_LIBS
      CPPFLAGS=$hs_save_CPPFLAGS
      CXXFLAGS=$hs_save_CXXFLAGS
      AC_LANG_POP([C++])])
    AS_IF([test "x$hs_cv_emulate" = xyes], [hs_emulate_why=],
      [hs_emulate_why='that needs a C++17 compiler (g++) for x86-64 Linux; config.log has the details'])])
  AM_CONDITIONAL([HAVE_EMULATE], [test -z "$hs_emulate_why"])
  AC_SUBST([HS_EMULATE_CXXFLAGS])
  AC_SUBST([hs_emulate_why])
])
