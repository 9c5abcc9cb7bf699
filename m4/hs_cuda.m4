dnl CUDA: finds nvcc, checks its version and the architectures it knows, and compiles and links
dnl a small program exactly as the makefiles will. Each step leaves a reason in hs_cuda_why when
dnl it fails; only --with-cuda=check carries on without CUDA then, and the summary says why.

AC_DEFUN([HS_CUDA_OPTIONS], [
  AC_ARG_WITH([cuda], [AS_HELP_STRING([--with-cuda=DIR|yes|no|check],
    [build the CUDA backends; DIR is the toolkit's folder; check: only if that works @<:@check@:>@])],
    [], [with_cuda=check])
  AC_ARG_WITH([cuda-arch], [AS_HELP_STRING([--with-cuda-arch=LIST],
    [GPU architectures, such as "80 90", or native for the GPUs of this machine alone @<:@those of 80 90 that nvcc knows; a list also gets PTX of its newest, for later GPUs@:>@])],
    [], [with_cuda_arch=default])
  AS_CASE([$with_cuda], [''], [AC_MSG_ERROR([--with-cuda= needs a folder, yes, no or check])],
    [yes|no|check|/*], [],
    [AC_MSG_ERROR([--with-cuda=$with_cuda: give the absolute path of the toolkit's folder (the one with bin/nvcc), yes, no or check])])
  AS_CASE([$with_cuda_arch], [''|yes|no],
    [AC_MSG_ERROR([--with-cuda-arch needs a list such as "80 90", or native; --with-cuda=no builds without CUDA])])
])

dnl HS_CUDA_FIND: NVCC from the folder given, or from PATH, or from the usual place.
AC_DEFUN([HS_CUDA_FIND], [
  AC_ARG_VAR([NVCC], [CUDA compiler])
  AS_CASE([$with_cuda],
    [/*], [AC_PATH_PROG([NVCC], [nvcc], [], [$with_cuda/bin])],
    [AC_PATH_PROG([NVCC], [nvcc], [], [$PATH$PATH_SEPARATOR/usr/local/cuda/bin])])
  AS_IF([test -z "$NVCC"], [AS_CASE([$with_cuda],
    [/*], [hs_cuda_why="no nvcc in $with_cuda/bin"],
    [hs_cuda_why='no nvcc in PATH or /usr/local/cuda/bin; name the toolkit with --with-cuda=DIR'])])
])

dnl HS_CUDA_VERSION: 12.4 is the first with graph nodes whose condition the device sets.
AC_DEFUN([HS_CUDA_VERSION], [
  AC_MSG_CHECKING([for the version of CUDA])
  hs_cuda_version=`"$NVCC" --version 2>&AS_MESSAGE_LOG_FD | sed -n 's/.*release \(@<:@0-9@:>@*\.@<:@0-9@:>@*\).*/\1/p'`
  AS_IF([test -z "$hs_cuda_version"], [
    AC_MSG_RESULT([unknown])
    hs_cuda_why="$NVCC --version does not run or names no release"
  ], [
    AC_MSG_RESULT([$hs_cuda_version])
    AS_VERSION_COMPARE([$hs_cuda_version], [12.4],
      [hs_cuda_why="CUDA $hs_cuda_version is too old: 12.4 or newer is needed, for graphs whose loop condition the device sets"])])
])

dnl HS_CUDA_WANTED: hs_cuda_wanted, the architectures by number, or native where the driver does not tell. Code of 80
dnl runs on 86 and 89 as well; 75 can be asked for, but lacks what cuda-resident and cuda-blocked need.
AC_DEFUN([HS_CUDA_WANTED], [
  AS_CASE([$with_cuda_arch],
    [default], [hs_cuda_wanted='80 90'],
    [native], [
      hs_cuda_wanted=`nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>&AS_MESSAGE_LOG_FD | tr -d . | sort -u | tr '\n' ' '`
      AS_CASE([$hs_cuda_wanted], [''|*[[!0-9\ ]]*], [hs_cuda_wanted=native])],
    [hs_cuda_wanted=`AS_ECHO(["$with_cuda_arch"]) | tr ',;' '  ' | sed 's/sm_//g; s/\([[0-9]]\)\.\([[0-9]]\)/\1\2/g'`])
])

dnl HS_CUDA_ARCHITECTURE(NUMBER): adds one to NVCC_ARCH, hs_cuda_archs and hs_cuda_newest. What only this architecture has (warps that
dnl trade registers) is in its form with an a, since 90, and runs on no other.
AC_DEFUN([HS_CUDA_ARCHITECTURE], [
  AS_IF([test $1 -ge 90], [hs_own="$1"a], [hs_own=$1])
  NVCC_ARCH="$NVCC_ARCH -gencode arch=compute_$hs_own,code=sm_$hs_own"
  hs_cuda_archs="$hs_cuda_archs${hs_cuda_archs:+ }sm_$1"
  AS_IF([test $1 -gt "${hs_cuda_newest:-0}"], [hs_cuda_newest=$1])
])

dnl HS_CUDA_ARCHITECTURES: NVCC_ARCH, the options, and hs_cuda_archs, their names.
AC_DEFUN([HS_CUDA_ARCHITECTURES], [
  AC_MSG_CHECKING([for the GPU architectures])
  hs_cuda_known=`"$NVCC" --list-gpu-code 2>&AS_MESSAGE_LOG_FD | sed 's/^sm_//' | tr '\n' ' '`
  NVCC_ARCH=
  hs_cuda_archs=
  hs_cuda_newest=
  HS_CUDA_WANTED
  AS_IF([test "x$hs_cuda_wanted" = xnative], [NVCC_ARCH=-arch=native; hs_cuda_archs=native], [
    for hs_arch in $hs_cuda_wanted; do
      AS_CASE([" $hs_cuda_known "],
        [*" $hs_arch "*], [HS_CUDA_ARCHITECTURE([$hs_arch])],
        [AS_CASE([$with_cuda_arch], [default|native], [], [
          AC_MSG_RESULT([$hs_arch is unknown])
          AC_MSG_ERROR([--with-cuda-arch: "$hs_arch" is not among the architectures that $NVCC knows: $hs_cuda_known(or native, alone)])])])
    done
    AS_IF([test -n "$hs_cuda_newest" && test "x$with_cuda_arch" != xnative],
      [NVCC_ARCH="$NVCC_ARCH -gencode arch=compute_$hs_cuda_newest,code=compute_$hs_cuda_newest"])])
  AC_MSG_RESULT([${hs_cuda_archs:-none}])
  AS_IF([test -z "$hs_cuda_archs"], [hs_cuda_why="$NVCC knows none of the architectures $hs_cuda_wanted"])
])

dnl HS_CUDA_COMPRESSION: the strongest that nvcc has, unless NVCCFLAGS chooses. Drivers take it from CUDA 12.4 on, which is
dnl needed anyway.
AC_DEFUN([HS_CUDA_COMPRESSION], [
  AS_CASE(["$NVCCFLAGS"], [*--compress-mode*], [], [
    AS_IF(["$NVCC" --help 2>&AS_MESSAGE_LOG_FD | grep -e --compress-mode >/dev/null],
      [HS_NVCCFLAGS="$HS_NVCCFLAGS --compress-mode=size"],
      [HS_NVCCFLAGS="$HS_NVCCFLAGS -Xfatbin -compress-all"])])
])

dnl HS_CUDA_FOLDERS: where nvcc itself looks for headers and libraries.
AC_DEFUN([HS_CUDA_FOLDERS], [
  cat >conftest.cu <<HS_EOF
extern "C" void hs_nothing(void) {}
HS_EOF
  hs_cuda_dryrun=`"$NVCC" --dryrun -c conftest.cu 2>&1`
  CUDA_CPPFLAGS=`AS_ECHO(["$hs_cuda_dryrun"]) | sed -n 's/^#\$ INCLUDES=//p' | tr -d '"' | sed 's/-I/-isystem /g'`
  CUDA_LDFLAGS=`AS_ECHO(["$hs_cuda_dryrun"]) | sed -n 's/^#\$ LIBRARIES=//p' | tr -d '"' | tr -s ' ' '\n' | grep '^-L' | grep -v '/stubs$' | tr '\n' ' '`
  CUDA_LIBS="$CUDA_LDFLAGS-lcudart_static -lstdc++ -lpthread -ldl -lrt"
  rm -f conftest.cu
])

dnl HS_CUDA_TRY: a kernel that sets the condition of a graph, called from C and linked by $CC.
AC_DEFUN([HS_CUDA_TRY], [
  AC_MSG_CHECKING([whether nvcc and $CC build a program together])
  cat >conftest-cuda.cu <<HS_EOF
#include <cuda_runtime.h>
#include <math.h>
__global__ void hs_kernel(cudaGraphConditionalHandle handle, double *x)
{
  *x = fma(*x, *x, 1.0);
  cudaGraphSetConditional(handle, *x > 2.0);
}
extern "C" int hs_launch(double *d_x)
{
  hs_kernel<<<1, 1>>>(0, d_x);
  return cudaGetLastError() == cudaSuccess;
}
HS_EOF
  hs_cuda_try="\"$NVCC\" $HS_NVCCFLAGS $NVCC_ARCH $NVCCFLAGS -c -o conftest-cuda.$OBJEXT conftest-cuda.cu"
  AS_ECHO(["$as_me:$LINENO: $hs_cuda_try"]) >&AS_MESSAGE_LOG_FD
  eval "$hs_cuda_try" >conftest.err 2>&1
  hs_status=$?
  cat conftest.err >&AS_MESSAGE_LOG_FD
  AS_IF([test $hs_status -ne 0], [
    hs_cuda_why="nvcc does not compile a small program: `sed -n '/./{p;q;}' conftest.err` (it needs a C++ compiler such as g++; CXX=... names another one)"
  ], [grep 'Cannot find valid GPU' conftest.err >/dev/null], [
    hs_cuda_why='--with-cuda-arch=native, but this machine has no usable GPU'
  ], [
    hs_save_LIBS=$LIBS
    hs_save_CPPFLAGS=$CPPFLAGS
    LIBS="conftest-cuda.$OBJEXT $CUDA_LIBS $LIBS"
    CPPFLAGS="$CPPFLAGS $CUDA_CPPFLAGS"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[
      #include <cuda_runtime_api.h>
      int hs_launch(double *d_x);]],
      [[int count = 0; return cudaGetDeviceCount(&count) == cudaSuccess && hs_launch(0);]])], [],
      [hs_cuda_why="$CC does not link with libcudart_static; config.log has the details"])
    LIBS=$hs_save_LIBS
    CPPFLAGS=$hs_save_CPPFLAGS])
  rm -f conftest-cuda.* conftest.err
  AS_IF([test -z "$hs_cuda_why"], [AC_MSG_RESULT([yes])], [AC_MSG_RESULT([no])])
])

AC_DEFUN([HS_CUDA], [
  HS_CUDA_OPTIONS
  hs_cuda_why=
  HS_NVCCFLAGS='-O3 --fmad=false -std=c++17 -Xcompiler -ffp-contract=off,-fPIC,-fvisibility=hidden -Xcompiler -Wall'
  test -z "$CXX" || HS_NVCCFLAGS="-ccbin '$CXX' $HS_NVCCFLAGS"
  AS_IF([test "x$with_cuda" = xno], [hs_cuda_why='switched off by --with-cuda=no'], [
    HS_CUDA_FIND
    AS_IF([test -z "$hs_cuda_why"], [HS_CUDA_VERSION])
    AS_IF([test -z "$hs_cuda_why"], [HS_CUDA_ARCHITECTURES])
    AS_IF([test -z "$hs_cuda_why"], [HS_CUDA_COMPRESSION])
    AS_IF([test -z "$hs_cuda_why"], [HS_CUDA_FOLDERS])
    AS_IF([test -z "$hs_cuda_why"], [HS_CUDA_TRY])])
  AS_CASE([$with_cuda], [no|check], [],
    [test -z "$hs_cuda_why" || AC_MSG_ERROR([--with-cuda=$with_cuda: $hs_cuda_why])])
  AS_IF([test -n "$hs_cuda_why"], [
    CUDA_CPPFLAGS=
    CUDA_LIBS=
    hs_cuda_text="no: $hs_cuda_why"
  ], [hs_cuda_text="$hs_cuda_version ($hs_cuda_archs)"])
  AM_CONDITIONAL([HAVE_CUDA], [test -z "$hs_cuda_why"])
  AC_SUBST([HS_NVCCFLAGS])
  AC_SUBST([NVCC_ARCH])
  AC_SUBST([CUDA_CPPFLAGS])
  AC_SUBST([CUDA_LIBS])
  AC_SUBST([with_cuda])
  HS_WITH_CUDA_ARCH=
  test "x$with_cuda_arch" = xdefault || HS_WITH_CUDA_ARCH="'--with-cuda-arch=$with_cuda_arch'"
  AC_SUBST([HS_WITH_CUDA_ARCH])
])
