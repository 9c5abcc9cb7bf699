#!/usr/bin/env bash
# The documents: every command, sample, table and link of README.md, the manual and the gallery.
#
# A page is read block by block, in a folder like that of the source which the page has to itself:
#   ```sh      commands. They are run, and must succeed; behind <!-- exit N --> the last one ends with code N.
#   ```text    what the commands or the script just before it print, standard output first, to the last line.
#              What differs from run to run is masked on both sides by the rules of doc/mask.sed.
#   ```ini     keys that `heatsolve check` takes beside those of configs/wall.ini, or behind <!-- for FILE -->
#              of FILE; behind <!-- file FILE --> the text of FILE.
#   ```python  a script that is run where python3 has what it imports, with the package of the folder python.
#   ```c       a program that is compiled with the library of the build folder, and run.
# A block of any other kind fails, since nobody would check it.
#
# usage: doc.sh [PAGE]...    pages to read alone, such as doc/manual/report.md, with nothing else checked
# shellcheck disable=SC2016
. "${HS_TEST_SRCDIR:?}/tap.sh"

top=$(cd "$HS_TEST_SRCDIR/.." && pwd)
parts=$HS_TEST_SRCDIR/doc
export PYTHONPATH=$top/python HEATSOLVE_LIBRARY=$HS_TEST_BUILDDIR/../libheatsolve.so.1 PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=Agg
export OMP_NUM_THREADS=1 CUDA_VISIBLE_DEVICES='' XDG_CACHE_HOME=$work/cache PATH=$parts/bin:$PATH
pages=("$top"/README.md "$top"/doc/manual/*.md "$top"/examples/README.md)

# Commands that are not run: a regular expression for the whole line, and why.
not_run='
scripts/check\.sh.* | builds, and runs this test among others
tar xf .*|cd heatsolve.*|\./configure|make|make check|sudo make install | a release is built so by make distcheck
python3 -m venv .*|environment/bin/pip .* | fetches what is missing; tests/python.sh does without
benchmarks/(peers|solvers)\.py .* | times other programs for minutes; needs NumPy
make -C build check.* | makes many runs, and reads this page
fpath=.* | is for zsh
systemd-run .* | needs a session of systemd
'
command -v man >/dev/null || not_run+='
man .* | needs man, which is not here
'
python3 -c 'import h5py, matplotlib' 2>/dev/null || not_run+='
python3 examples/plot_field\.py .* | needs h5py and Matplotlib, which are not here
'

# make_site: the folder in which commands run: the source as far as they need it. Two things stand in for what takes
# minutes: scripts that would install packages and build do nothing, for the program is there already; `bench` and `tune`
# measure small grids for a moment.
make_site() {
  chmod -R u+w site 2>/dev/null
  rm -rf site cache
  mkdir -p site/build site/scripts
  cp -R "$top/configs" "$top/examples" site
  cp "$top"/scripts/*.sh site/scripts
  for from in "$top" "$HS_TEST_BUILDDIR"/..; do # a tarball has them beside the source
    if [ -d "$from"/man ]; then cp -R "$from"/man "$from"/completions site/build; fi
  done
  chmod -R u+w site
  echo true | tee site/scripts/packages.sh > site/scripts/build.sh
  cat > site/build/heatsolve <<TEXT
#!/usr/bin/env bash
case \${1-} in
  bench) set -- "\$1" -n 64 -r 1 -s 0.001 "\${@:2}"
         for ((k = 2; k <= \$#; k++)); do
           if [ "\${!k}" = -n ]; then set -- "\${@:1:k}" "\$(sed 's/[0-9]\{3,\}/128/g' <<<"\${@:k+1:1}")" "\${@:k+2}"; fi
         done ;;
  tune) set -- "\$1" -b cpu-reference --quick "\${@:2}" ;;
esac
exec '$HEATSOLVE' "\$@"
TEXT
  chmod +x site/build/heatsolve
}

# without_not_run FILE: its commands but those of the table, whose use is noted.
without_not_run() {
  local line pattern
  while IFS= read -r line; do
    pattern=$(awk -F ' [|] ' -v line="$line" 'NF > 1 && line ~ "^(" $1 ")( +#.*)?$" { print $1; exit }' <<<"$not_run")
    if [ -n "$pattern" ]; then echo "$pattern" >> "$work/left-out"; else printf '%s\n' "$line"; fi
  done < "$1"
}

# run_block FILE MARK: leaves rc and the files out and err; succeeds if the commands end as MARK says.
run_block() {
  local wanted=0 stop=-e
  case $2 in 'exit '*) wanted=${2#exit }; stop=+e ;; esac
  without_not_run "$1" > commands
  (cd site && timeout 120 bash $stop -u -o pipefail "$work/commands") > out 2> err < /dev/null
  rc=$?
  [ "$rc" -eq "$wanted" ]
}

# sample FILE: is it what the last commands printed?
sample() {
  sed -E -f "$parts/mask.sed" "$1" > wanted
  cat out err | sed -E -f "$parts/mask.sed" > found
  diff wanted found > out && return
  : > err
  return 1
}

# keys FILE: the keys of a configuration, as arguments --set, one a line.
keys() {
  awk '/^ *([;#]|$)/ { next } { sub(/ +;.*/, "") } /^\[/ { section = substr($0, 2, index($0, "]") - 2); next }
    { sub(/ *= */, "="); print "--set"; print section "." $0 }' "$1"
}

# configuration FILE MARK
configuration() {
  local base=configs/wall.ini
  local -a sets
  case $2 in
    'file '*) cmp "$1" "site/${2#file }" > out; return ;;
    'for '*) base=${2#for } ;;
  esac
  mapfile -t sets < <(keys "$1")
  (cd site && build/heatsolve check -q "$base" "${sets[@]}") > out 2> err
  rc=$?
  [ "$rc" -eq 0 ]
}

declare -A carries=() # Pythons by the modules they have

# python FILE NAME: fails where it is skipped; the script, by a Python that has what it imports.
python() {
  local modules found
  modules=$(sed -nE 's/^from ([^ .]+).*/\1/p; s/^import //p' "$1" | tr ',' '\n' | sed -E 's/^ *([A-Za-z0-9_]+).*/\1/' | sort -u)
  if [[ $modules == *xarray* ]]; then modules+=$'\nh5netcdf|netCDF4'; fi
  # shellcheck disable=SC2086 # module by module
  if [ -z "${carries[:$modules]:-}" ]; then carries[:$modules]=$(python_with $modules); fi
  found=${carries[:$modules]}
  if [ -z "$found" ]; then skip "$2" "no Python here has what it imports"; return 1; fi
  (cd site && timeout 60 "$found" -) < "$1" > out 2> err
  rc=$?
  result $rc "$2"
  return 0
}

# program FILE
program() {
  local build=$HS_TEST_BUILDDIR/..
  "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -I"$top/src/api" "$1" -L"$build" -lheatsolve -o site/program > out 2> err &&
    (cd site && LD_LIBRARY_PATH=$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} ./program) > out 2>> err
  rc=$?
  return $rc
}

# page FILE: all its blocks.
page() {
  local number kind line near mark before='' name
  make_site
  rm -rf blocks && mkdir blocks
  awk -v out=blocks -f "$parts/split.awk" "$top/$1" > index
  while read -r number kind line near mark <&3; do
    name="$1:$line: $(head -n 1 "blocks/$number.$kind" 2>/dev/null)"
    rc=0
    case $kind in
      sh) run_block "blocks/$number.$kind" "$mark"; result $? "$name"
          if head -n 1 out | grep -q '^heatsolve [0-9].*ini$'; then cat out >> reports; fi
          if [ "$mark" = cases ]; then cp out cases; fi ;;
      text)
        name="$1:$line: what these commands print"
        case $before$near in
          skipped1) skip "$name" 'they were not run' ;;
          sh1 | python1) sample "blocks/$number.$kind"; result $? "$name" ;;
          *) result 1 "$name" ;;
        esac ;;
      ini) configuration "blocks/$number.$kind" "$mark"; result $? "$name" ;;
      python) python "blocks/$number.$kind" "$name" || kind=skipped ;;
      c) program "blocks/$number.$kind"; result $? "$name" ;;
      *) result 1 "$1:$line: a block of the kind \"$kind\", which nobody checks" ;;
    esac
    before=$kind
  done 3< index
  # What the page's commands have left, for the tests of tables below.
  find site -name report.json > left
  while IFS= read -r name; do
    sed -n 's/^  "\([a-z0-9_]*\)": .*/\1/p' "$name" >> keys-written
    ls "$(dirname "$name")" >> files-written
  done < left
  find site -name problem.png -exec basename {} \; >> files-written
}

# column FILE HEADER: the first column of the table whose first heading is HEADER.
column() {
  awk -F ' *[|] *' -v header="$2" '!/^\|/ { on = 0 } on && !/^\|-/ { print $2 } $2 == header { on = 1 }' "$top/$1"
}

# code_in FILE HEADER: what is written as code there.
code_in() {
  column "$1" "$2" | grep -o '`[^`]*`' | tr -d '`' | sort -u
}

# same_list NAME A B: passes when both files have the same lines.
same_list() {
  rc=0
  diff "$2" "$3" > out
  result $? "$1"
}

if [ $# -gt 0 ]; then
  for file in "$@"; do page "$file"; done
  finish
  exit
fi
for file in "${pages[@]}"; do page "${file#"$top/"}"; done

echo "$not_run" | awk -F ' [|] ' 'NF > 1 { print $1 }' | sort > documented
sort -u left-out > found
same_list 'every command that is not run is in a page' documented found
check 'README.md has 250 lines at most' [ "$(wc -l < "$top/README.md")" -le 250 ]

# Tables
"$HEATSOLVE" --help > help
awk '/^Commands/ { on = 1; next } /^$/ { on = 0 } on { print $1 }' help > commands
while read -r command; do "$HEATSOLVE" help "$command"; done < commands > all-help
"$HEATSOLVE" --help-config > help-config
code_in doc/manual/files.md key | sed 's/\[\]//' > documented
sort -u keys-written > found
same_list 'files.md: the keys of report.json' documented found
code_in doc/manual/files.md file > documented
sed -E 's/^line-.*\./line-NAME./; s/^frame-[0-9]+/frame-NNNNNN/' files-written | sort -u | comm -13 documented - > unknown
same_list 'files.md: every file that a run wrote' /dev/null unknown
code_in doc/manual/configuration.md section | tr -d '[]' | sort > documented
sed -n 's/^\[\(.*\)\]$/\1/p' help-config | sort > found
same_list 'configuration.md: sections' documented found
code_in doc/manual/backends.md name > documented
{ echo auto; "$HEATSOLVE" backends | sed 's/ .*//'; } | sort > found
same_list 'backends.md: backends' documented found
column doc/manual/commands.md code > documented
sed -nE 's/^ +([0-9]+)  [a-z].*/\1/p' help > found
same_list 'commands.md: exit codes' documented found
for system in debian fedora; do
  grep -i "^| $system" "$top/doc/manual/install.md" | sed 's/.*`\(.*\)`.*/\1/' | tr ' ' '\n' | sort > documented
  bash "$top/scripts/packages.sh" --list $system | sort > found
  same_list "install.md: packages of $system" documented found
done
grep '^|' "$top/doc/manual/trust.md" | sort -u > documented
grep '^|' cases | sort -u > found
same_list 'trust.md: the published cases' documented found
column doc/manual/report.md line | tr ' ' '\n' | tr -d , > documented
awk '/^heatsolve / { on = 1 } /^$/ { table = 0 } on && !table && /^  [a-z]/ { print $1 } /^  files/ { on = 0 } /^  (surface|probe|line|material|shape) / { table = 1 }' reports |
  tr -d , | sort -u | grep -vxFf documented > unknown
same_list 'report.md: every line of a report' /dev/null unknown

# Names in the text: options, keys, commands, files
awk '/^```/ { code = !code } !code && !/^```/' "${pages[@]}" | grep -oE '`[^`]+`' | tr -d '`' | sort -u > spans
# all_in NAME: passes when every line of `named` is one of `names`.
all_in() {
  grep -vxFf names named > unknown
  same_list "$1" /dev/null unknown
}
grep -ohE -- '--?[a-zA-Z][a-z-]*' help all-help > names
grep -E '^-|^(build/)?heatsolve ' spans | grep -vE -- '^(--with-|-Wl,)' | grep -oE -- '(^| )--?[a-zA-Z][a-z-]*' | tr -d ' ' > named
all_in 'every option that is named is one of --help'
sed -nE 's/^  ([a-z][a-z_0-9]*) .*/\1/p' help-config > names
sed -nE 's/^(\[[a-z]+\] )?([a-z_]+) = .*/\2/p; s/^(grid|material|solver|output|time|initial)\.([a-z_]+)(=.*)?$/\2/p' spans > named
all_in 'every key that is named is one of --help-config'
{ cat commands; echo CONFIG.ini; } > names
sed -nE 's/^(build\/)?heatsolve ([A-Za-z.]+).*/\2/p' spans > named
all_in 'every command that is named is one of --help'
cat "${pages[@]}" "$top"/doc/*.md | grep -oE '(^|[^A-Za-z0-9_./-])(src|tests|kernels|scripts|configs|examples|benchmarks|m4)/[A-Za-z0-9_./-]*[A-Za-z0-9_]' |
  sed 's/^[^a-z]//' | sort -u | while IFS= read -r name; do [ -e "$top/$name" ] || [ -e "$top/$name.c" ] || echo "$name"; done > unknown
same_list 'every file of the source that a document names is there' /dev/null unknown

# Links, in the source and as installed
# broken FOLDER: relative links of its pages that lead nowhere, or to a heading that is not there.
broken() {
  local from line target file
  find "$1" -name '*.md' ! -path '*/.git/*' ! -path '*/build/*' -exec awk -f "$parts/links.awk" {} + > links
  : > headings
  while read -r from line target; do
    file=${target%%#*}
    if [ -n "$file" ]; then file=${from%/*}/$file; else file=$from; fi
    if [ ! -e "$file" ]; then echo "${from#"$1/"}:$line: $target"; continue; fi
    case $target in *#*) echo "$file ${target#*#} ${from#"$1/"}:$line: $target" >> headings ;; esac
  done < links
  find "$1" -name '*.md' ! -path '*/.git/*' ! -path '*/build/*' -exec awk '
    FILENAME == "headings" {
      while (sub(/\/\.\//, "/", $1)) { }
      while (sub(/[^\/ ]+\/\.\.\//, "", $1)) { }
      wanted[$1 " " $2] = wanted[$1 " " $2] $3 " " $4 "\n"
      next
    }
    /^#+ / { sub(/^#+ +/, ""); $0 = tolower($0); gsub(/[^a-z0-9_ -]/, ""); gsub(/ /, "-"); delete wanted[FILENAME " " $0] }
    END { for (heading in wanted) printf "%s", wanted[heading] }' headings {} +
}
mkdir source && cp -R "$top"/README.md "$top"/LICENSE "$top"/NEWS "$top"/doc "$top"/examples "$top"/configs source
broken source > unknown
same_list 'links in the source' /dev/null unknown
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL "${MAKE:-make}" -s -C "$HS_TEST_BUILDDIR/.." install-dist_docDATA install-nobase_dist_docDATA \
  DESTDIR="$work/installed" docdir=/ > out 2> err
rc=$?
result $rc 'documents can be installed'
broken installed > unknown
same_list 'links in installed documents' /dev/null unknown
(cd source && find . -name '*.md') | sort > documented
(cd installed && find . -name '*.md') | sort > found
same_list 'all documents are installed' documented found
finish
