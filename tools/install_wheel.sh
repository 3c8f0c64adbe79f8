#!/bin/sh
# install_wheel.sh PYTHON FOLDER
# Builds the wheel of cyclotron-fhe into FOLDER and installs it for PYTHON, exactly as a user would
# get it: tests and demo run on the installed package, not on the source tree.
set -eu
python=$1
folder=$2
rm -rf "$folder"
"$python" -m maturin build --release --locked --interpreter "$python" --out "$folder"
"$python" -m pip install --quiet --disable-pip-version-check \
    --force-reinstall --no-deps --no-index "$folder"/cyclotron_fhe-*.whl
