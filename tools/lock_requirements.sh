#!/bin/sh
# lock_requirements.sh PYTHON [--upgrade]
# Pins every requirements/*.in, with hashes, for all supported Pythons, into the .txt beside it.
# Where packages come from is the business of each machine: no index address is written down.
set -eu
python=$1
shift
"$python" -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/lock.txt
for list in requirements/*.in; do
    "$python" -m uv pip compile "$list" --output-file "${list%.in}.txt" --quiet \
        --universal --python-version 3.10 --generate-hashes \
        --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" "$@"
done
