#!/usr/bin/env bash
# report.html in a real browser. Needs Chromium, and Python with h5py to know what it must say.
. "${HS_TEST_SRCDIR:?}/tap.sh"

has() { "$1" -c "import $2" 2>/dev/null; }
for python in "${PYTHON:-}" python3 /usr/bin/python3; do
  if [ -n "$python" ] && has "$python" 'h5py, numpy'; then break; fi
  python=
done
if [ -z "$python" ]; then
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
"$HEATSOLVE" -q "$inputs/small.ini" -o large --set grid.nx=1201 --set grid.ny=1102 2>/dev/null
{ cat "$inputs/transient.ini"; printf '%s\n' '[probe inner]' 'x = 0.03' 'y = 0.02' '[probe outer]' 'x = 0' 'y = 0.01'; } >course.ini
"$HEATSOLVE" -q course.ini -o course
{ cat "$inputs/small.ini"; printf '%s\n' '[probe <img src onerror><s>&amp]' 'x = 0.1' 'y = 0.1'; } >'<b>&.ini'
"$HEATSOLVE" -q '<b>&.ini' -o hostile --set "output.title=</script><script>alert(1)</script><!-- & \"'"

PYTHONDONTWRITEBYTECODE=1 timeout 180 "$python" "$HS_TEST_SRCDIR/output/page/check_page.py" "$work" 2>err || sed 's/^/# /' err
