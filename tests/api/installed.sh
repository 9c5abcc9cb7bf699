#!/usr/bin/env bash
# The library as it is installed: the header, the names that it shows, pkg-config, the program of examples/api.
. "${HS_TEST_SRCDIR:?}/tap.sh"

top=$(cd "$HS_TEST_SRCDIR/.." && pwd)
build=$(cd "${HS_TEST_BUILDDIR:?}/.." && pwd)
for tool in make pkg-config nm objdump; do
  command -v $tool >/dev/null || { skip 'the installed library' "no $tool"; finish; exit; }
done

env -u MAKEFLAGS -u MFLAGS make -C "$build" install prefix="$work/usr" >install.log 2>&1
result $? 'make install'
library=$(find usr -name libheatsolve.so.1)
check 'the library is there' test -n "$library"
folder=$work/$(dirname "$library")
export LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} PKG_CONFIG_PATH=$folder/pkgconfig
sed -i "s|^prefix=.*|prefix=$work/usr|" "$folder/pkgconfig/heatsolve.pc"

nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >shown
grep -oE 'heatsolve_[a-z_]+\(' "$top/src/api/heatsolve.h" | tr -d '(' | sort -u >named
check 'it shows the names of the header and no others' cmp -s shown named
check 'each of them has a version' sh -c '! nm -D --defined-only "$1" | grep -v "@@HEATSOLVE_1" | grep -v " A "' sh "$library"
check 'its name has one, too' sh -c 'objdump -p "$1" | grep -q "SONAME *libheatsolve.so.1$"' sh "$library"

# writable: variables of the objects of src/comm that are no constants, by their sections; .data.rel.ro has constants.
writable() {
  objdump -t "$build/libheatsolve.a" | awk '/file format/ { file = $1 }
    file ~ /^(comm|mpi|none|nccl|watch)\.o:/ && /[ \t](\*COM\*|\.t?(data|bss)(\.local)?)[ \t]/ && !/ d  \./ { print file, $NF }'
}
check 'what is under way between ranks belongs to their struct' sh -c '[ -z "$1" ]' sh "$(writable)"

compiler=${CC:-cc}
read -ra flags < <(pkg-config --cflags --libs heatsolve)
for language in 'c -std=c11 -pedantic' c++; do
  read -ra words <<<"$language"
  if [ "${words[0]}" = c++ ] && ! command -v c++ >/dev/null; then
    skip 'the header in C++' 'no c++'
    continue
  fi
  echo '#include <heatsolve.h>' >"header.${words[0]}"
  check "the header alone in ${words[0]}" \
    "$compiler" -x "${words[@]}" -Wall -Wextra -Werror -fsyntax-only "${flags[0]}" "header.${words[0]}"
done

cp "$top/configs/wall.ini" .
check 'the example compiles' "$compiler" -std=c11 -Wall -Wextra -Werror "$top/examples/api/hottest.c" -o hottest "${flags[@]}"
./hottest wall.ini >out 2>err
rc=$?
check 'it runs' [ "$rc" -eq 0 ]
check 'three lines' [ "$(grep -c 'nodes: converged' out)" -eq 3 ]
mean=$(sed -n 's/^201 nodes.*mean \([0-9.]*\) degC.*/\1/p' out)
call wall.ini --set grid.nx=201 -o command.d
check 'the mean is the command'\''s' \
  awk -v a="$mean" -v b="$(json temperature_mean_k command.d/report.json)" 'BEGIN { exit !(a - b < 6e-4 && b - a < 6e-4) }'
./hottest missing.ini >out 2>err
rc=$?
check 'a failure is its code and a sentence' [ "$rc" -eq 3 ]
check '... about the file' grep -q 'missing.ini' err

env -u MAKEFLAGS -u MFLAGS make -C "$build" uninstall prefix="$work/usr" >uninstall.log 2>&1
result $? 'make uninstall'
check 'no file is left' [ -z "$(find usr -type f -o -type l)" ]
finish
