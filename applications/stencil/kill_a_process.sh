#!/bin/sh
# kill_a_process.sh PROGRAM ARGUMENT...: starts a wave of several processes, kills one, and expects that the first ends
# within 10 s with its sentence. Exits with 4 where the wave needs more GPUs than there are.
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
"$@" >"$log" 2>&1 &
first=$!
until grep -q 'step ' "$log"; do # a line of progress: all have begun
  kill -0 $first 2>/dev/null || { wait $first; code=$?; cat "$log"; exit $code; }
  sleep 0.05
done
for stat in /proc/[0-9]*/stat; do
  read -r line <"$stat" || continue
  case $line in
    *") "?" $first "*) other=${line%% *} ;;
  esac
done 2>/dev/null
start=$(date +%s%N)
kill -9 "$other" || exit 1
(sleep 15; kill -9 $first 2>/dev/null) &
limit=$!
wait $first
code=$?
kill $limit
milliseconds=$((($(date +%s%N) - start) / 1000000))
tail -n 1 "$log"
echo "ended with $code after $milliseconds ms"
grep -q 'start again from the last checkpoint' "$log" && [ $code = 1 ] && [ $milliseconds -lt 10000 ]
