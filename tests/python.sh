#!/usr/bin/env bash
# The Python package: installed by pip into a virtual environment, and its tests against the library that was built.
. "${HS_TEST_SRCDIR:?}/tap.sh"

top=$(cd "$HS_TEST_SRCDIR/.." && pwd)
library=${HS_TEST_BUILDDIR:?}/../libheatsolve.so.1
if ! python=$(python_with numpy pytest setuptools wheel venv ensurepip); then
  echo '1..0 # SKIP no python3 here has numpy, pytest, setuptools, wheel and venv'
  exit
fi

# setuptools leaves files beside the source, which may be read-only.
cp -R "$top/python" package && chmod -R u+w package
installed() {
  "$python" -m venv --system-site-packages environment >out 2>err &&
    environment/bin/python -m pip install --no-build-isolation --no-deps --no-index --disable-pip-version-check ./package >>out 2>>err
}
check 'pip installs the package without a network' installed
# Of a python3 that is a virtual environment itself, the new one sees nothing.
if ! environment/bin/python -c 'import numpy, pytest' 2>err; then
  skip 'the package' 'a virtual environment does not see pytest and numpy here'
  finish
  exit
fi

export HEATSOLVE_LIBRARY=$library HS_TOP_SRCDIR=$top HS_TAP=$work/tap MPLCONFIGDIR=$work/matplotlib JUPYTER_PLATFORM_DIRS=1
export CUDA_VISIBLE_DEVICES='' PYTHONDONTWRITEBYTECODE=1
(cd package && timeout 200 ../environment/bin/python -m pytest -q -p no:cacheprovider) >out 2>err
rc=$?
[ "$rc" -le 1 ] && [ -s tap ]
result $? 'pytest runs to its end'
# Each of its tests is one here.
while IFS= read -r line; do
  case $line in
    'ok '*) rest=${line#ok * - }; tests=$((tests + 1)); echo "ok $tests - $rest" ;;
    'not ok '*) rest=${line#not ok * - }; tests=$((tests + 1)); echo "not ok $tests - $rest"; failed=1 ;;
  esac
done < tap
if [ "${failed:-0}" -ne 0 ]; then sed 's/^/# /' out; fi
finish
