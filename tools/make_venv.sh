#!/bin/sh
# make_venv.sh PYTHON FOLDER
# Makes a fresh virtual environment. Debian and Ubuntu ship venv's other half (ensurepip) in a
# package of its own, python3-venv: as root with apt-get it is installed, otherwise it is named.
set -eu
python=$1
folder=$2

has_venv() { "$python" -c 'import venv, ensurepip' 2>/dev/null; }

if ! has_venv; then
    prefix=$("$python" -c 'import sys; print(sys.base_prefix)')
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    echo "cyclotron: $python cannot make virtual environments: the package python3-venv is missing" >&2
    if [ "$prefix" = /usr ] && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
        echo "cyclotron: installing it (apt-get install python3-venv)" >&2
        export DEBIAN_FRONTEND=noninteractive
        apt-get update -q >&2
        apt-get install -q -y --no-install-recommends python3-venv >&2
        # When $python is not the distribution's default Python, its package carries the version.
        has_venv || apt-get install -q -y --no-install-recommends "python$version-venv" >&2
    fi
fi
if ! has_venv; then
    echo "    Debian, Ubuntu: sudo apt-get install python3-venv   (or python$version-venv)" >&2
    echo "    or name a complete Python: make PYTHON=/path/to/python3 ..." >&2
    exit 1
fi
exec "$python" -m venv --clear "$folder"
