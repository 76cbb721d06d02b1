#!/usr/bin/env bash
# The package for Python, as a user gets it: builds source distribution and wheel, checks both, installs the wheel and the
# checkout in empty environments, and runs the tests on the wheel. Needs what `npm ci` built; Python 3.10 or later.
# usage: .ci/python.sh [PYTHON]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=${1:-python3}
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_QUIET=1 PIP_ROOT_USER_ACTION=ignore

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

environment() {
  "$python" -m venv "$work/$1" 2>/dev/null && return
  rm -rf "${work:?}/$1"
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3 python3-venv
  "$python" -m venv "$work/$1"
}

environment tools
"$work/tools/bin/pip" install build==1.6.1 hatchling==1.33.0 twine==7.0.0
"$work/tools/bin/python" -m build --no-isolation --outdir "$work/dist" python >"$work/build.log" || { cat "$work/build.log" && exit 1; }
"$work/tools/bin/twine" check --strict "$work"/dist/*
ls -l "$work/dist"

# A checkout that nobody built says what to do.
mkdir "$work/sdk" && cp sdk/package.json "$work/sdk" && cp -r python "$work/python" && rm -rf "$work/python/src/anchoreval/_node"
if "$work/tools/bin/python" -m build --no-isolation --wheel "$work/python" >"$work/build.log" 2>&1 || ! grep -q 'Run `npm ci`' "$work/build.log"; then
  echo "a checkout that isn't built gives no clear error:" && cat "$work/build.log" && exit 1
fi

environment wheel
"$work/wheel/bin/pip" install "$work"/dist/*.whl
"$work/wheel/bin/pip" check
(cd "$work" && "$work/wheel/bin/anchoreval" --version)
"$work/wheel/bin/pip" install numpy pandas pytest mypy==2.4.1 ruff==0.17.6
"$work/wheel/bin/python" -m pytest -c python/pyproject.toml python/tests
cd python
"$work/wheel/bin/pip" install hatchling==1.33.0
"$work/wheel/bin/ruff" check --no-cache . && "$work/wheel/bin/ruff" format --no-cache --check .
"$work/wheel/bin/mypy" --cache-dir "$work/mypy"
"$work/wheel/bin/mypy" --cache-dir "$work/mypy" --python-version 3.10 src
cd ..

environment checkout
"$work/checkout/bin/pip" install ./python
"$work/checkout/bin/python" - test/fixtures/golden-bundle <<'END'
import json, sys
import anchoreval
folder = sys.argv[1]
result = anchoreval.estimate(anchoreval.load(f"{folder}/bundle"), json.load(open(f"{folder}/answers.json", encoding="utf-8")))
assert result.score == json.load(open(f"{folder}/estimate.json", encoding="utf-8"))["score"], result
print(f"pip install ./python: {100 * result.score:.1f}, {anchoreval.__version__}")
END
