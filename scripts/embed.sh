#!/bin/sh
# Turns files into constants of a C program, so that it carries them wherever it goes:
#
#   const unsigned char NAME[];  the bytes of FILE, without a zero behind them
#   const size_t NAME_size;      their number
#
# usage: embed.sh NAME=FILE...
set -eu

echo '/* Made by scripts/embed.sh. */'
echo '#include <stddef.h>'
for pair; do
  name=${pair%%=*} file=${pair#*=}
  [ -s "$file" ] || { echo "embed.sh: there is nothing in $file" >&2; exit 1; }
  printf '\nextern const unsigned char %s[];\nextern const size_t %s_size;\nconst unsigned char %s[] = {\n' "$name" "$name" "$name"
  od -An -v -tu1 "$file" | sed 's/^ *//; s/  */,/g; s/$/,/'
  printf '};\nconst size_t %s_size = sizeof %s;\n' "$name" "$name"
done
