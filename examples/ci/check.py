#!/usr/bin/env python3
"""A gate for CI with Python's standard library alone: asks a Worker whether a model got worse.

    python3 check.py https://evals.example.com/v1/bundles/mine/1.0.0 \
        --baseline released.json --responses tonight.json --max-drop 3

Files have the answers as JSON, {"item id": score} or {"responses": {"item id": score}}. Exit code 0 passed, 3 regressed,
4 can't tell, 2 for bad input, 1 where something broke: those of `anchoreval check`, whose numbers these are. The token for
a protected benchmark comes from ANCHOREVAL_TOKEN. The same with curl, released.json as `anchoreval check --save` writes
it, tonight.json as {"item id": score}:

    curl -sS "$BUNDLE/checks" -H 'content-type: application/json' \
        -d "{\"current\": [{\"responses\": $(cat tonight.json)}], \"baselines\": [$(cat released.json)], \"maxDrop\": 0.03}"
"""

import argparse
import json
import os
import sys
import urllib.error
import urllib.request

EXIT_CODES = {"passed": 0, "regressed": 3, "undecided": 4}


def run_of(path):
    """One run's answers, as the Worker takes them."""
    try:
        with open(path, encoding="utf-8") as file:
            answers = json.load(file, object_pairs_hook=without_repeats)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    if not isinstance(answers, dict):
        raise ValueError(f'{path}: answers are {{"item id": score}}')
    # an item may be called "responses"; then it has a score
    if isinstance(answers.get("responses"), dict):
        return {key: answers[key] for key in ("responses", "hashes") if key in answers}
    return {"responses": answers}


def without_repeats(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an item is there twice")
    return found


def ask(bundle, body):
    headers = {"content-type": "application/json"}
    if "ANCHOREVAL_TOKEN" in os.environ:
        headers["authorization"] = "Bearer " + os.environ["ANCHOREVAL_TOKEN"]
    request = urllib.request.Request(bundle.rstrip("/") + "/checks", json.dumps(body).encode(), headers, method="POST")
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


def points(fraction):
    return "unknown" if fraction is None else f"{100 * fraction:.1f}"


def main():
    parser = argparse.ArgumentParser(description="Whether a model got worse.")
    parser.add_argument("bundle", help="the Worker's address of the bundle, its version too")
    parser.add_argument("--responses", action="append", required=True, metavar="FILE")
    parser.add_argument("--baseline", action="append", default=[], metavar="FILE")
    parser.add_argument("--max-drop", type=float, default=1, metavar="POINTS")
    parser.add_argument("--min-score", type=float, metavar="POINTS")
    parser.add_argument("--alarms-per-year", type=float, default=1, metavar="N")
    options = parser.parse_args()
    try:
        if not options.bundle.startswith(("http://", "https://")):
            raise ValueError(f"{options.bundle}: the address of a bundle begins with https:// or http://")
        body = {
            "current": [run_of(path) for path in options.responses],
            "baselines": [run_of(path) for path in options.baseline],
            "maxDrop": options.max_drop / 100,
            "alarmsPerYear": options.alarms_per_year,
        }
    except (OSError, ValueError) as error:
        print(f"check.py: {error}", file=sys.stderr)
        return 2
    if options.min_score is not None:
        body["minScore"] = options.min_score / 100
    try:
        result = ask(options.bundle, body)
    except urllib.error.HTTPError as error:
        print(f"check.py: {error.code}: {error.read().decode(errors='replace')}", file=sys.stderr)
        return 2 if 400 <= error.code < 500 and error.code != 429 else 1
    except (OSError, ValueError) as error:
        print(f"check.py: {options.bundle}: {error}", file=sys.stderr)
        return 1
    for warning in result["warnings"]:
        print("warning:", warning["message"])
    if result["drop"]:
        drop = result["drop"]
        print(f"drop: {points(drop['drop'])} points, surely above {points(drop['low'])}, at most {points(drop['high'])}")
    if result["minimum"]:
        low = result["minimum"]
        print(f"score: {points(low['score'])}, at least {points(low['low'])}, surely below {points(low['high'])}")
    print(result["verdict"].upper())
    return EXIT_CODES[result["verdict"]]


if __name__ == "__main__":
    sys.exit(main())
