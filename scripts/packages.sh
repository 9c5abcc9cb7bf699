#!/usr/bin/env bash
# What heatsolve needs from the system, and how to get it.
#
# The table below is the one list of packages; everything else asks this script. A need is probed by
# what it is for (a command, a pkg-config module), not by a package's name, so a machine where
# everything is present is left alone, whatever its distribution, and needs no network.
#
# usage: packages.sh            install what is missing (Debian, Ubuntu and their relatives: apt-get)
#        packages.sh ranks      install what runs of many ranks need beside, before configure looks for it
#        packages.sh tests      install that and what some tests need; without it they are skipped
#        packages.sh --check    name what is missing and install nothing; exit status 1 if anything is
#        packages.sh --list debian|fedora    all package names of the table, one a line
set -euo pipefail

# probe                     Debian package   Fedora package      what for
table='
command:autoconf            autoconf         autoconf            configure
command:automake            automake         automake            configure
command:make                make             make                building
command:gcc                 gcc              gcc                 C compiler
header:stdio.h              libc6-dev        glibc-devel         C library
command:g++                 g++              gcc-c++             host compiler of nvcc
command:pkg-config          pkg-config       pkgconf-pkg-config  finding libraries
module:hdf5-serial,hdf5     libhdf5-dev      hdf5-devel          field.h5
module:cairo                libcairo2-dev    cairo-devel         pictures
module:libpng               libpng-dev       libpng-devel        pictures
module:inih                 libinih-dev      inih-devel          configuration files
module:jansson              libjansson-dev   jansson-devel       report.json
module:muparser             libmuparser-dev  muParser-devel      expressions in configurations
module:zlib                 zlib1g-dev       zlib-devel          animated pictures
module:cmocka               libcmocka-dev    libcmocka-devel     make check
'

ranks='
command:mpirun              openmpi-bin      openmpi             runs of many ranks
module:ompi-c               libopenmpi-dev   openmpi-devel       runs of many ranks
'

tests='
command:chromium            chromium         chromium            report.html in a browser
command:xmllint             libxml2-utils    libxml2             pictures as SVG
command:pdftotext           poppler-utils    poppler-utils       pictures as PDF
command:/usr/sbin/slurmctld slurm-wlm       slurm-slurmctld     jobs of a batch system
command:/usr/sbin/slurmd    slurm-wlm        slurm-slurmd        jobs of a batch system
command:/usr/sbin/munged    munge            munge               jobs of a batch system
python:h5py                 python3-h5py     python3-h5py        what field.h5 holds, read by others
python:numpy                python3-numpy    python3-numpy       the Python package
python:numpy,pytest         python3-pytest   python3-pytest      its tests
python:numpy,setuptools     python3-setuptools python3-setuptools its installation
python:numpy,wheel          python3-wheel    python3-wheel       its installation
python:numpy,ensurepip      python3-venv     python3-libs        its installation
python:numpy,xarray         python3-xarray   python3-xarray      its datasets
python:numpy,h5netcdf       python3-h5netcdf python3-h5netcdf    its datasets
python:numpy,matplotlib     python3-matplotlib python3-matplotlib its pictures
python:numpy,nbclient       python3-nbclient python3-nbclient    its notebook
python:numpy,ipykernel      python3-ipykernel python3-ipykernel  its notebook
python:netCDF4              python3-netcdf4  python3-netcdf4     field.h5, read by others
python:meshio               python3-meshio   python3-meshio      field.xdmf, read by others
'

has_cuda() { command -v nvcc >/dev/null 2>&1 || [ -x /usr/local/cuda/bin/nvcc ]; }

# CC and CXX may have several words, as in "ccache gcc".
has_compiler() { command -v "${1%% *}" >/dev/null 2>&1; }

# Is the need named by a probe met on this machine?
is_present() {
  local kind=${1%%:*} names=${1#*:} name
  case $kind:$names in
    command:gcc) has_compiler "${CC:-gcc}" || command -v cc >/dev/null 2>&1; return ;;
    command:g++) ! has_cuda || has_compiler "${CXX:-g++}"; return ;;
    command:*) command -v "$names" >/dev/null 2>&1; return ;;
    python:*) python3 -c "import $names" 2>/dev/null || /usr/bin/python3 -c "import $names" 2>/dev/null; return ;;
    header:*)
      has_compiler "${CC:-cc}" || return 1
      echo "#include <$names>" | ${CC:-cc} -E -x c - >/dev/null 2>&1
      return ;;
  esac
  command -v pkg-config >/dev/null 2>&1 || return 1
  for name in ${names//,/ }; do
    if pkg-config --exists "$name"; then return 0; fi
  done
  return 1
}

# Prints the table's lines whose need is not met.
missing() {
  local probe rest
  while read -r probe rest; do
    if [ -n "$probe" ] && ! is_present "$probe"; then printf '%s %s\n' "$probe" "$rest"; fi
  done <<<"$table"
}

# Column 2 (Debian) or 3 (Fedora) of table lines on standard input, on one line.
names() { awk -v column="$1" 'NF { printf "%s%s", separator, $column; separator = " " }'; }

say_how() {
  {
    echo "heatsolve needs packages that are not installed here:"
    awk '{ printf "  %-26s", $1; for (i = 4; i <= NF; i++) printf " %s", $i; print "" }' <<<"$1"
    echo "Install them as an administrator, then run this script again:"
    echo "  Debian, Ubuntu: apt-get install $(names 2 <<<"$1")"
    echo "  Fedora:         dnf install $(names 3 <<<"$1")"
  } >&2
}

# Prints the command that gives a command the right to install, word by word; fails if there is none.
administrator() {
  if [ "$(id -u)" -eq 0 ]; then echo env; return; fi
  command -v sudo >/dev/null 2>&1 || return 1
  if sudo -n true 2>/dev/null || [ -t 0 ]; then echo sudo env; return; fi
  return 1
}

apt() {
  # shellcheck disable=SC2086  # $as_admin is one or two words
  $as_admin DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" </dev/null
}

install_missing() {
  local lines packages as_admin
  lines=$(missing)
  [ -n "$lines" ] || return 0
  if ! command -v apt-get >/dev/null 2>&1; then
    say_how "$lines"
    echo "(This machine has no apt-get, which is all that this script can use.)" >&2
    return 1
  fi
  if ! as_admin=$(administrator); then
    say_how "$lines"
    echo "(You are not root, and sudo is missing or asks for a password that cannot be typed here.)" >&2
    return 1
  fi
  packages=$(names 2 <<<"$lines")
  echo "Installing: $packages"
  # shellcheck disable=SC2086  # a list of words
  if ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null ||
    ! apt install --no-install-recommends $packages; then
    apt update
    if ! apt install --no-install-recommends $packages; then
      say_how "$lines"
      return 1
    fi
  fi
  lines=$(missing)
  if [ -n "$lines" ]; then say_how "$lines"; return 1; fi
}

case ${1:-install} in
  install) install_missing ;;
  ranks)
    table=$ranks
    install_missing
    ;;
  tests)
    table=$ranks$tests
    install_missing
    ;;
  --check)
    lines=$(missing)
    if [ -n "$lines" ]; then say_how "$lines"; exit 1; fi
    ;;
  --list)
    case ${2:-debian} in
      debian) awk 'NF { print $2 }' <<<"$table" ;;
      fedora) awk 'NF { print $3 }' <<<"$table" ;;
      *) echo "packages.sh --list: \"$2\" is neither debian nor fedora" >&2; exit 2 ;;
    esac
    ;;
  *) sed -n '/^# usage/,/^set/{/^#/s/^# \{0,1\}//p;}' "$0" >&2; exit 2 ;;
esac
