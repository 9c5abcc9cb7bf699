#!/usr/bin/env bash
# The manual pages and the completion of bash and zsh, which the program prints from its tables.
#
# Completion is tried in the shells themselves: lines with tabs are typed at a terminal, and the name heatsolve stands
# for a function that says what it was called with.
. "${HS_TEST_SRCDIR:?}/tap.sh"

sources=$HS_TEST_SRCDIR/../src/cli/help
for what in bash zsh; do
  expect "--generate=$what" 0 "out~Completion of heatsolve in $what" -- --generate=$what
  mkdir -p of-$what
  cat out "$sources/completion.$what" >of-$what/_heatsolve
done
for page in heatsolve.1 heatsolve.ini.5; do
  expect "--generate=$page" 0 'out~^[.]TH HEATSOLVE' 'out~^[.]SH NAME$' 'out~^[.]SH SEE ALSO$' -- --generate=$page
  cp out $page
done
expect '--generate of something else' 2 out= 'err~--generate takes one of heatsolve.1, .* not "fish"' -- --generate=fish
expect '... is not for users' 0 -- --help
check '... so help is silent about it' [ "$(grep -c generate out)" -eq 0 ]

# The pages have everything that the program knows.
plain() {
  sed 's/\\-/-/g; s/\\f[BIP]//g; s/\\ / /g' "$1"
}
plain heatsolve.1 >page1
plain heatsolve.ini.5 >page5
call --help
missing=
for command in $(sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p' out); do
  grep -qE "^$command( |$)" page1 || missing+=" $command"
  call help "$command"
  while read -r option; do
    grep -qE -- "^(-[A-Za-z], )?$option( |$)" page1 || missing+=" $option"
    grep -qE -- "^    $command\) echo.* $option( |$)" of-bash/_heatsolve || missing+=" bash:$option"
    sed -n "/^    $command)\$/,/operand=/p" of-zsh/_heatsolve | grep -qE -- "['{,*]$option[=[}]" || missing+=" zsh:$option"
  done < <(sed -nE 's/^  .*(--[a-z-]+)( .*|$)/\1/p' out)
done
[ -z "$missing" ]
result $? "page and completions know every command and option${missing:+, but not$missing}"
call --print-config
missing=
while read -r key; do
  grep -qxE "[.]B $key" page5 || missing+=" $key"
done < <(sed -nE 's/^(;+ )?([a-z0-9_]+) = .*/\2/p' out)
[ -z "$missing" ]
result $? "heatsolve.ini(5) explains every key${missing:+, but not$missing}"
sed -n '/^[.]EX$/,/^[.]EE$/{/^[.]E/d;p;}' page5 >example.ini
expect '... and its example runs without a warning' 0 'out~^  status +converged' -- example.ini -o example
check '... indeed' no_warning
if command -v mandoc >/dev/null; then
  mandoc -Tlint heatsolve.1 heatsolve.ini.5 >out 2>err
  grep -v 'missing date\|cross reference' out >lint # a tarball of no commit has no date
  check 'mandoc finds nothing wrong with the pages' [ ! -s lint ]
else
  skip 'mandoc finds nothing wrong with the pages' 'no mandoc'
fi
if command -v groff >/dev/null; then
  groff -man -ww -z heatsolve.1 heatsolve.ini.5 >out 2>err
  check 'nor does groff' [ ! -s err -a ! -s out ]
else
  skip 'nor does groff' 'no groff'
fi

# Completion
touch a.ini 'with blank.ini' b.h5
mkdir folder.d
cat >called <<'END'
heatsolve() { printf 'called:'; printf ' [%s]' "$@"; echo; }
END
# What is typed | what it becomes.
cat >lines <<'END'
heatsolve ben\t|[bench]
heatsolve a\t|[a.ini]
heatsolve check wi\t|[check] [with blank.ini]
heatsolve compare b\t|[compare] [b.h5]
heatsolve help bac\t|[help] [backends]
heatsolve --backend=cpu-r\t|[--backend=cpu-reference]
heatsolve bench -b cpu,cuda-gl\t|[bench] [-b] [cpu,cuda-global]
heatsolve validate --mark\t|[validate] [--markdown]
heatsolve --set solver.meth\tch\t|[--set] [solver.method=chebyshev]
heatsolve --set=solver.pre\tsi\t check a\t|[--set=solver.precision=single] [check] [a.ini]
heatsolve -b cpu -q rend\t|[-b] [cpu] [-q] [render]
heatsolve bench --backend cpu --mark\t|[bench] [--backend] [cpu] [--mark]
END

# complete SHELL COMMAND...: types the lines at the shell, and compares what it calls.
complete() {
  local shell=$1 typed wanted number=0
  shift
  {
    sleep 2
    while IFS='|' read -r typed wanted; do
      printf "$typed"
      sleep 0.3
      printf '\n'
      sleep 0.2
    done <lines
    echo exit
  } | TERM=dumb timeout 60 script -qec "$*" /dev/null 2>err | tr -d '\r' | sed -n 's/.*called: //p' >out
  rc=$?
  while IFS='|' read -r typed wanted; do
    number=$((number + 1))
    [ "$(sed -n ${number}p out)" = "$wanted" ]
    result $? "$shell: $typed becomes $wanted"
  done <lines
}

for shell in bash zsh; do
  if ! command -v $shell >/dev/null; then
    skip "completion in $shell" "no $shell"
  elif ! has_terminal; then
    skip "completion in $shell" 'no terminal can be had'
  elif [ $shell = bash ]; then
    {
      printf "PS1=\nbind 'set bell-style none' 'set enable-bracketed-paste off' 2>/dev/null\n"
      cat called of-bash/_heatsolve
    } >rc.bash
    complete bash bash --noprofile --rcfile rc.bash -i
  else
    printf 'PS1=\nunset zle_bracketed_paste\nfpath=(%s/of-zsh $fpath)\nautoload -Uz compinit\ncompinit -u -d %s/dump\n' \
      "$work" "$work" | cat - called >.zshrc
    complete zsh env ZDOTDIR="$work" zsh -i
  fi
done

finish
