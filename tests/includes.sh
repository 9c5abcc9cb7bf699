#!/usr/bin/env bash
# The rooms of doc/architecture.md: includes and calls run one way, all files are listed, and the check sees it where not.
. "${HS_TEST_SRCDIR:?}/tap.sh"

top=$HS_TEST_SRCDIR/.. top_build=$(cd "${HS_TEST_BUILDDIR:?}/.." && pwd)
bash "$top/scripts/check-includes" "$top_build" >out 2>err
rc=$?
result $rc "includes and calls run one way"

# A copy in which one include is turned round.
mkdir copy && cp -r "$top/src" "$top/kernels" "$top/scripts" copy/ && mkdir copy/doc && cp "$top/doc/architecture.md" copy/doc/
refused() {
  bash copy/scripts/check-includes >out 2>err && return 1
  grep -q "$1" err
}
sed -i '1i #include "backend/backend.h"' copy/src/problem/system.c
check "an include against the direction is refused" refused 'src/problem/system.c includes src/backend/backend.h: problem may not include backend'
cp "$top/src/problem/system.c" copy/src/problem/
sed -i '1i #include "problem/laws/laws.h"' copy/src/problem/problem.h
check "a circle of includes is refused" refused 'include each other in a circle'
sed -i 1d copy/src/problem/problem.h
sed -i '1i #include "../backend/backend.h"' copy/src/problem/system.c
check "an include by another path is refused" refused '"../backend/backend.h" is no file of src or kernels'
sed -i '1s/.*/#include <backend\/backend.h>/' copy/src/problem/system.c
check "an include of ours in angle brackets is refused" refused 'backend/backend.h is ours'
sed -i 1d copy/src/problem/system.c
sed -i '/src\/problem\/walls\.h/d' copy/src/local.mk
check "a file that the tarball would lack is refused" refused 'local.mk does not name src/problem/walls.h'
finish
