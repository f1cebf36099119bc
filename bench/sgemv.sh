#!/usr/bin/env bash
# bench/sgemv.sh OUT - on a machine with a GPU: checks SGEMV over the shapes below, square and not, lda above m, then
# measures the square sizes of the paper's figure 10 into OUT/sgemv.json. Needs build/cuda/bin/sgemv (./run demo builds it).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=${1:?the folder for sgemv.json}
sgemv=(build/cuda/bin/sgemv --on gpu)
commit=${COMMIT:-$(git rev-parse --short HEAD 2>/dev/null || echo unknown)}
driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)

squares=(1 31 128 1000 1024 4096 8192 16384)
wide=(1 31 128 1000 1024 4096 8192 16384 1 16384 31 8192)
tall=(16384 8192 4096 1024 1000 128 31 1 1 1000 128 31)
"${sgemv[@]}" --no-time --m "${squares[@]}" --pad 3
"${sgemv[@]}" --no-time --m "${wide[@]}" --n "${tall[@]}" --pad 5
"${sgemv[@]}" --no-time --m "${wide[@]}" --n "${tall[@]}" --pad 0
"${sgemv[@]}" --m 1024 2048 4096 8192 16384 --commit "$commit" --driver "$driver" --json "$out/sgemv.json"
