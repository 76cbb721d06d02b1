#!/bin/sh
# What a card is worth: conformance of whole rounds, three boards on each provider, a whole fit, and how busy the card was,
# into one JSON. Needs a built checkout with its node_modules, no network, and four minutes at most (docs/gpu.md).
#
#     [DEVICES=cuda,webgpu,cpu] [BOARDS=83x3504x5,400x28659x10,6349x28659x2] [FIT=83x3504x10] [SECONDS_AT_MOST=230] \
#       sh bench/device.sh device.json
set -eu
out=${1:?"sh bench/device.sh OUT.json"}
here=$(cd "$(dirname "$0")" && pwd)
use=$(mktemp)
sampler=
trap '[ -z "$sampler" ] || kill "$sampler" 2>/dev/null; rm -f "$use"' EXIT INT TERM
if command -v nvidia-smi >/dev/null; then
  # milliseconds since the epoch aren't to be had of it: device.js goes by its local time
  nvidia-smi --query-gpu=timestamp,name,utilization.gpu,memory.used --format=csv,noheader,nounits -lms 100 >"$use" &
  sampler=$!
fi
node "$here/device.js" --out "$out" --use "$use" \
  --devices "${DEVICES:-cuda,webgpu,cpu}" \
  --boards "${BOARDS:-83x3504x5,400x28659x10,6349x28659x2}" \
  --fit "${FIT:-83x3504x10}" \
  --seconds "${SECONDS_AT_MOST:-230}"
