#!/bin/sh
# The version of the source in a folder, and the day of its commit where that is known: "0.1.0+g1a2b3c4 2026-01-31".
#
#   0.1.0                  a release: a tarball of it, or a checkout of its tag v0.1.0
#   0.1.0+g1a2b3c4         a checkout of another commit, or a tarball made from one
#   0.1.0+g1a2b3c4.dirty   the same with changes that are not committed
#   0.1.0+git              a checkout that git cannot read
#
# A tarball has its line in the file .tarball-version, which make dist writes.
#
# usage: version.sh RELEASE FOLDER
set -eu
release=$1
folder=$2

if [ -f "$folder/.tarball-version" ]; then
  cat "$folder/.tarball-version"
elif [ ! -e "$folder/.git" ]; then # not even where the folder lies in a checkout of something else
  echo "$release"
else
  cd "$folder"
  GIT_OPTIONAL_LOCKS=0
  export GIT_OPTIONAL_LOCKS
  if ! commit=$(git rev-parse --short=7 HEAD 2>/dev/null); then
    echo "$release+git"
    exit
  fi
  day=$(git log -1 --format=%cs HEAD)
  if ! git diff --quiet HEAD -- 2>/dev/null; then
    echo "$release+g$commit.dirty $day"
  elif [ -n "$(git tag --points-at HEAD --list "v$release" 2>/dev/null)" ]; then
    echo "$release $day"
  else
    echo "$release+g$commit $day"
  fi
fi
