#!/usr/bin/env bash
# report.html in a real browser. Needs Chromium, and Python with h5py to know what it must say.
. "${HS_TEST_SRCDIR:?}/tap.sh"

if ! python=$(python_with h5py numpy); then
  echo '1..0 # SKIP no python3 here has h5py'
  exit
fi
if ! command -v "${CHROMIUM:-chromium}" >/dev/null 2>&1; then
  echo '1..0 # SKIP there is no chromium'
  exit
fi

top=$HS_TEST_SRCDIR/..
"$HEATSOLVE" -q "$top/configs/wall.ini" -o wall
"$HEATSOLVE" -q "$inputs/small.ini" -o cells --set grid.layout=cell
"$HEATSOLVE" -q "$inputs/small.ini" -o thin --set grid.nx=3000 --set grid.ny=3 --set grid.lx=3 --set grid.ly=0.002 2>/dev/null
"$HEATSOLVE" -q "$inputs/small.ini" -o tall --set grid.nx=3 --set grid.ny=3000 --set grid.lx=0.002 --set grid.ly=3 2>/dev/null
"$HEATSOLVE" -q "$inputs/small.ini" -o large --set grid.nx=1201 --set grid.ny=1102 2>/dev/null
{ cat "$inputs/transient.ini"; printf '%s\n' '[probe inner]' 'x = 0.03' 'y = 0.02' '[probe outer]' 'x = 0' 'y = 0.01'; } >course.ini
"$HEATSOLVE" -q course.ini -o course
"$HEATSOLVE" -q "$inputs/small.ini" -o constant --set initial.temperature=3 --set solver.method=multigrid \
  --set boundary.west=20 --set boundary.east=20 --set boundary.south=20 --set boundary.north=20
"$HEATSOLVE" -q course.ini -o jump --set grid.nx=129 --set grid.ny=65
{ cat "$inputs/small.ini"; printf '%s\n' '[probe <img src onerror><s>&amp]' 'x = 0.1' 'y = 0.1'; } >'<b>&.ini'
"$HEATSOLVE" -q '<b>&.ini' -o hostile --set "output.title=</script><script>alert(1)</script><!-- & \"'"
# As much as there can be of everything: a page has 3 MB at most all the same. (Of points there can be more: 80 MB of report.json.)
points=${HEATSOLVE_TEST_ALL:+1000}
points=${points:-200}
{
  cat "$inputs/small.ini"
  for ((k = 0; k < 400; k++)); do
    printf '[probe %s]\nx = 0.1\ny = 0.1\nx1 = 1.9\ny1 = 0.9\npoints = %d\n' \
      "a name that is as long as names may be, number $k" "$points"
    printf '[material m%d]\nconductivity = 2\n[shape s%d]\nshape = circle\nx = 1\ny = 0.5\nradius = 0.3\nmaterial = m%d\n' $k $k $k
  done
  for ((k = 0; k < 20000; k++)); do echo '; <<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<'; done
} >much.ini
"$HEATSOLVE" -q much.ini -o much --set grid.nx=1500 --set grid.ny=1400 --set output.csv=no 2>/dev/null

PYTHONDONTWRITEBYTECODE=1 timeout 180 "$python" "$HS_TEST_SRCDIR/output/page/check_page.py" "$work" 2>err || sed 's/^/# /' err
