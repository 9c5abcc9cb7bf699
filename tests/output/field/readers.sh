#!/usr/bin/env bash
# The files of a field as other programs read them: each of h5py, xarray, netCDF4, PyVista, meshio and ParaView that is here.
#
# What is looked for is in readers/read.py. Python: $HS_TEST_PYTHON where it is set (scripts/check.sh sets it), or the usual
# ones; ParaView brings its own, pvpython.
. "${HS_TEST_SRCDIR:?}/tap.sh"
parts=$HS_TEST_SRCDIR/output/field/readers
export PYTHONDONTWRITEBYTECODE=1 XDG_CACHE_HOME=$work/cache

# make FOLDER CONFIGURATION [OPTION]...
make_run() {
  expect "a run: $1" 0 out= -- -q "$2" -o "$1" "${@:3}"
}

sed 's/^nx = 21/nx = 20/; s/^ny = 13/ny = 12/; s/^ly = 0.6/&\nlayout = cell/' "$parts/layers.ini" >cells.ini
make_run linear "$parts/linear.ini"
make_run linear-grid "$parts/linear.ini" --set output.xdmf=grid
make_run layers "$parts/layers.ini"
make_run layers-grid "$parts/layers.ini" --set output.xdmf=grid
make_run layers-cells cells.ini
make_run layers-cells-grid cells.ini --set output.xdmf=grid
make_run layers-single "$parts/layers.ini" --set solver.precision=single --set output.unit=degC
folders=(linear linear-grid layers layers-grid layers-cells layers-cells-grid layers-single)

# reader NAME TITLE MODULE...
reader() {
  local python
  if ! python=$(python_with "${@:3}"); then
    skip "$2" "no Python here has $3"
    return
  fi
  timeout 100 "$python" "$parts/read.py" "$1" "${folders[@]}" >out 2>err
  rc=$?
  result $rc "$2 finds what there is"
}

reader h5py h5py h5py numpy
reader xarray 'xarray, by h5netcdf and netCDF4' xarray h5netcdf netCDF4
reader netcdf4 netCDF4 netCDF4
reader pyvista PyVista pyvista
reader meshio meshio meshio h5py
if command -v pvpython >/dev/null; then
  timeout 100 pvpython "$parts/read.py" paraview "${folders[@]}" >out 2>err
  rc=$?
  result $rc 'ParaView finds what there is, by three readers of XDMF and that of images'
else
  skip ParaView 'no pvpython here'
fi
finish
