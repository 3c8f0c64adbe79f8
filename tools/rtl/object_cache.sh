#!/bin/sh
# object_cache.sh COMPILER ARGUMENT ...   (Verilator's OBJCACHE)
# Verilator's run-time library (verilated*.cpp) is the same in every bench, and it is
# most of a small bench's build: their objects are kept in $CYCLOTRON_OBJECT_CACHE, under the hash
# of the command and the source. Everything else is compiled as it stands.
set -eu
source= output= next=
for word in "$@"; do
    if [ "$next" = output ]; then output=$word; fi
    next=
    case "$word" in
    -o) next=output ;;
    */verilated*.cpp) source=$word ;;
    esac
done
if [ -z "$source" ] || [ -z "$output" ] || [ -z "${CYCLOTRON_OBJECT_CACHE:-}" ]; then exec "$@"; fi

key=$( (printf '%s\n' "$@" && cat "$source" "$(dirname "$source")/verilated_config.h") | sha256sum)
kept=$CYCLOTRON_OBJECT_CACHE/${key%% *}
if [ ! -f "$kept.o" ]; then
    mkdir -p "$CYCLOTRON_OBJECT_CACHE"
    # Two builds that need the same object: the second waits for the first.
    exec 9>"$kept.lock"
    if command -v flock >/dev/null; then flock 9; fi
fi
if [ ! -f "$kept.o" ]; then
    "$@"
    # Without flock two builds may do this at once: each renames a whole file of its own.
    cp "${output%.o}.d" "$kept.$$.d" && mv "$kept.$$.d" "$kept.d"
    cp "$output" "$kept.$$.o" && mv "$kept.$$.o" "$kept.o"
else
    cp "$kept.d" "${output%.o}.d"
    cp "$kept.o" "$output"
fi
