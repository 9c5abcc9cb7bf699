#!/usr/bin/env bash
# The version: the same in all that the program writes, and what scripts/version.sh says of checkouts and tarballs.
. "${HS_TEST_SRCDIR:?}/tap.sh"

top=$(cd "$HS_TEST_SRCDIR/.." && pwd)
cp "$inputs/small.ini" a.ini

expect '--version begins with it' 0 'out~^heatsolve [0-9]+[.][0-9]+[.][0-9]+([+]g[0-9a-f]{7,}([.]dirty)?|[+]git)?$' -- --version
version=$(sed -n '1s/^heatsolve //p' out)
if [ -f "$top/.tarball-version" ]; then
  check 'a tarball knows it' [ "$version" = "$(cut -d' ' -f1 "$top/.tarball-version")" ]
elif [ -e "$top/.git" ]; then
  [[ $version == *+g* ]] || git -C "$top" tag --points-at HEAD 2>/dev/null | grep -qxF "v$version"
  result $? 'a checkout that is no release tells its commit'
fi
call a.ini -o out.d
check 'the report has it' grep -qxF "heatsolve $version, a.ini" out
check '... and report.json' [ "$(json version out.d/report.json)" = "$version" ]
check '... and field.h5' grep -aqF "$version" out.d/field.h5
check '... and temperature.png' grep -aqF "heatsolve $version" out.d/temperature.png

# is NAME TEXT: what version.sh says of the folder tree, as release 1.2.3; commits are followed by their day.
is() {
  local wanted=$2
  said=$(sh "$top/scripts/version.sh" 1.2.3 tree 2>&1)
  if [ -n "$day" ]; then wanted+=" $day"; fi
  [ "$said" = "$wanted" ]
  result $? "version.sh: $1 ($said)"
}
mkdir tree
day=
is 'a folder without git' 1.2.3
if ! command -v git >/dev/null; then
  skip 'version.sh: a checkout' 'no git'
  finish
  exit
fi
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b \
  GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b \
  GIT_COMMITTER_DATE=2001-02-03T12:00:00Z
git init -q . && git add a.ini && git commit -qm outer
is 'a folder within the checkout of something else' 1.2.3
git init -q tree
is 'a checkout without a commit' 1.2.3+git
day=2001-02-03
echo one >tree/file
git -C tree add file
git -C tree commit -qm first
commit=$(git -C tree rev-parse --short=7 HEAD)
is 'a commit' "1.2.3+g$commit"
echo more >tree/other
is 'a file that git does not know changes nothing' "1.2.3+g$commit"
echo two >tree/file
is 'a change' "1.2.3+g$commit.dirty"
git -C tree add file
is '... that is staged' "1.2.3+g$commit.dirty"
git -C tree commit -qm second
commit=$(git -C tree rev-parse --short=7 HEAD)
touch -d '1 hour ago' tree/file
is 'a file with another time alone' "1.2.3+g$commit"
git -C tree tag v1.2.3
is 'the release' 1.2.3
echo three >tree/file
is '... changed' "1.2.3+g$commit.dirty"
day=
echo 1.2.3+g0000000 2000-01-01 >tree/.tarball-version
is 'a tarball' '1.2.3+g0000000 2000-01-01'

finish
