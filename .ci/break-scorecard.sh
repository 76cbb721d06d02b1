#!/usr/bin/env bash
# Shows that the scorecard sees what it is for: puts one fault at a time into a copy of this checkout's last commit, builds it,
# and measures. Takes about ten minutes; not a step of `.ci/run`. Exit code 1 where the scorecard saw nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
copy=$work/anchoreval
git clone --quiet . "$copy"
ln -s "$PWD/../shared" "$work/shared"
cp -R node_modules "$copy/"
[[ -d cli/node_modules ]] && cp -R cli/node_modules "$copy/cli/"
for package in sdk offline-trainer cli workers; do cp -R "$package/dist" "$copy/$package/"; done
cd "$copy"

build() { npx --no-install tsc -b && node .ci/strip-comments.js && node cli/build.js; }

unseen=0
# fault NAME PART FILE: NAME was put in FILE; PART of the scorecard must say WORSE.
fault() {
  local out
  build
  if out=$(npm run --silent scorecard -- --only "$2"); then unseen=$((unseen + 1)) && echo "unseen  $1"; else
    echo "seen    $1" && grep '^WORSE' <<<"$out" | sed 's/^/          /'
  fi
  git checkout --quiet . && git clean -fdq -- sdk offline-trainer
}

echo 'export const same = (level: number): number => Number(String(level));' >sdk/core/numeric/same.ts
sed -i '1i import { same } from "../core/numeric/same.ts";' sdk/estimate/estimate-from-anchors.ts
sed -i 's/const level = confidenceLevel(options.level);/const level = same(confidenceLevel(options.level));/' sdk/estimate/estimate-from-anchors.ts
fault "one more file in a closure" bytes

sed -i '1i import type { ScorePair } from "../inference/paired-scores.ts";\nexport type Pair = ScorePair;' sdk/core/numeric/functions.ts
fault "a circle of folders" house

sed -i 's/const level = confidenceLevel(options.level);/&\n  for (let k = 0; k < 60_000; k++) Math.sqrt(level + k) < 0 \&\& console.log(k);/' sdk/estimate/estimate-from-anchors.ts
fault "5 % more instructions in an estimate" speed

sed -i 's/^const RIDGE = 0.02;/const RIDGE = 0.5;/' offline-trainer/src/fit/blend-figures.ts
fault "weights of the estimators shrunk too far: .01 of error" truth

exit $((unseen > 0))
