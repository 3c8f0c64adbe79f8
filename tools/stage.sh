#!/bin/sh
# stage.sh NAME COMMAND [ARGUMENT ...]
# Runs a command under a name and says how long it took. With CYCLOTRON_STAGE_LOG set, also
# appends "seconds<TAB>status<TAB>name" to that file (.ci/run prints it as a table).
set -u
name=$1
shift
printf '==> %s\n' "$name"
start=$(date +%s)
"$@"
status=$?
seconds=$(($(date +%s) - start))
if [ "$status" -eq 0 ]; then result=ok; else result="FAILED ($status)"; fi
printf '<== %s: %s, %d s\n' "$name" "$result" "$seconds"
if [ -n "${CYCLOTRON_STAGE_LOG:-}" ]; then
    printf '%d\t%s\t%s\n' "$seconds" "$result" "$name" >>"$CYCLOTRON_STAGE_LOG"
fi
exit "$status"
