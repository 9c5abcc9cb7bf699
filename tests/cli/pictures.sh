#!/usr/bin/env bash
# The formats of pictures: which files are written, that they are whole, and that the same run draws the same bytes.
. "${HS_TEST_SRCDIR:?}/tap.sh"

{ cat "$inputs/small.ini"; printf '\n[solver]\nmethod = jacobi\n'; } >a.ini
all='output.pictures=png, svg ,pdf'

pictures() {
  (cd "$1" && find . -name '*.png' -o -name '*.svg' -o -name '*.pdf') | sed 's,^\./,,' | LC_ALL=C sort | paste -sd ' '
}

# needs NAME TOOL COMMAND...: a check that is skipped without the tool.
needs() {
  local name=$1 tool=$2
  shift 2
  if command -v "$tool" >/dev/null; then check "$name" "$@"; else skip "$name" "there is no $tool"; fi
}

is_svg() {
  xmllint --noout --nonet "$1" && [ "$(xmllint --xpath 'count(//*[local-name()="image"])' "$1")" -eq "$2" ] &&
    ! grep -Eq '"[^"]*-?[0-9]{20}' <(grep -v 'xlink:href="data:' "$1")
}

is_pdf() {
  [ "$(head -c 5 "$1")" = %PDF- ] && tail -c 6 "$1" | grep -q '^%%EOF'
}

pdf_says() {
  pdftotext "$1" - | grep -qF -- "$2" && [ "$(pdfinfo "$1" | awk '/^Pages:/ { print $2 }')" = 1 ] &&
    ! pdfinfo "$1" | grep -q CreationDate
}

expect 'a run with all formats' 0 'out~^ +one/temperature.svg$' 'out~^ +one/convergence.pdf$' -- a.ini -o one \
  --set "$all" --set 'output.title=Wärme <λ> & "²"' --set output.isotherms=5 --set output.unit=degC
check '... writes them' [ "$(pictures one)" = \
  'convergence.pdf convergence.png convergence.svg temperature.pdf temperature.png temperature.svg' ]
check '... and names them in report.json' grep -q '"temperature.svg"' one/report.json
check 'temperature.pdf is whole' is_pdf one/temperature.pdf
check 'convergence.pdf is whole' is_pdf one/convergence.pdf
needs 'temperature.svg is XML with the field as an image' xmllint is_svg one/temperature.svg 1
needs 'convergence.svg is XML without images' xmllint is_svg one/convergence.svg 0
needs 'the title of temperature.pdf can be searched' pdftotext pdf_says one/temperature.pdf 'Wärme <λ> & "²"'
needs '... and so can its unit' pdftotext pdf_says one/temperature.pdf '(°C)'
needs '... and that of convergence.pdf' pdftotext pdf_says one/convergence.pdf 'Wärme'

call -q a.ini -o two --set "$all" --set 'output.title=Wärme <λ> & "²"' --set output.isotherms=5 --set output.unit=degC
same=0
for name in $(pictures one); do cmp -s "one/$name" "two/$name" || same=1; done
result $same 'a second run draws the same bytes'

expect 'a title that the font lacks' 0 warnings=1 'err~warning: pictures have a box for "壁" in "Wärme 壁温", which their font' -- \
  -q a.ini -o box --set 'output.title=Wärme 壁温'
expect 'a name from right to left' 0 warnings=1 'err~warning: pictures set "קיר", which is written from right to left' -- \
  check -q a.ini -o box --set 'probe קיר.x=0' --set 'probe קיר.y=0'
expect 'texts that it has' 0 -- -q a.ini -o box --set 'output.title=Wärme λ Стена °C ∞' --force
check '... are no warning' no_warning
expect 'neither is a title that no picture shows' 0 -- -q a.ini -o box2 --set 'output.title=壁' --set output.picture=no --set output.page=no
check '... a warning' no_warning
expect 'one format' 0 out= -- -q a.ini -o svg --set output.pictures=svg
check '... leaves the others out' [ "$(pictures svg)" = 'convergence.svg temperature.svg' ]
expect 'no picture' 0 out= -- -q a.ini -o none --set "$all" --set output.picture=no --set output.convergence=no
check '... in no format' [ -z "$(pictures none)" ]

expect 'the drawing of the problem in two formats' 0 'out~^drawing +drawn/problem.pdf$' -- check a.ini -o drawn \
  --set output.pictures=svg,pdf
check '... is written' [ "$(pictures drawn)" = 'problem.pdf problem.svg' ]
check 'problem.pdf is whole' is_pdf drawn/problem.pdf
needs 'problem.svg is XML with the cells as an image' xmllint is_svg drawn/problem.svg 1

"$HEATSOLVE" -q "$inputs/transient.ini" -o course --set output.animation=series --set output.range_min=0 --set output.range_max=100
expect 'render a snapshot by its number' 0 out~one.png -- render course --snapshot 1 --range 0:100 -o one.png
check '... is that frame' cmp -s one.png course/frame-000001.png
expect 'render a snapshot by its time' 0 -- -q render course/snapshots.h5 --snapshot t=0 --range 0:100 -o start.png
check '... is that frame, too' cmp -s start.png course/frame-000000.png
expect 'render the last snapshot' 0 -- -q render course --snapshot last -o end.png
for wrong in 99 -1 1.5 '' t=7777 first; do
  expect "render no snapshot '$wrong'" 2 out= "err~snapshots.h5 has no snapshot \"$wrong\": there are [0-9]+, numbered from 0" -- \
    render course --snapshot "$wrong" -o no.png
done
expect 'render a snapshot of a field' 5 out= 'err~it holds no snapshots' -- render one/field.h5 --snapshot 0 -o no.png
check '... draws nothing' [ ! -e no.png ]

for format in svg pdf; do
  expect "render into .$format" 0 "out~^field.$format\$" -- render one/field.h5 --isotherms 5 -o field.$format
done
check '... PDF is whole' is_pdf field.pdf
needs '... SVG is XML' xmllint is_svg field.svg 1

call -q "$HS_TEST_SRCDIR/../configs/wall.ini" -o wall
call render -q wall/field.h5 --isotherms "$(sed -n 's/^isotherms *= *\([0-9]*\).*/\1/p' "$HS_TEST_SRCDIR/../configs/wall.ini")" -o wall.png
check 'render draws the picture of a run, with the outlines of its materials' cmp wall.png wall/temperature.png

expect 'formats of an earlier run' 0 warnings=1 'err~temperature.pdf' -- -q a.ini -o one
expect '... go with --force' 0 out= -- -q a.ini -o one --force
check '... all of them' [ "$(pictures one)" = 'convergence.png temperature.png' ]
finish
