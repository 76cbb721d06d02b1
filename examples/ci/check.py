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


def fraction(text, one_is_all=False):
    """An option in points as a fraction; what reads as a fraction is refused, unless its unit says otherwise: 0.5pt."""
    figure = text[: -len("pt")] if text.endswith("pt") else text
    value = float(figure)
    if not 0 <= value <= 100:
        raise argparse.ArgumentTypeError(f"{text}: points are from 0 to 100")
    if figure == text and (0 < value < 1 or (one_is_all and value == 1)):
        raise argparse.ArgumentTypeError(f"{text} reads as a fraction: points are from 0 to 100; or write {text}pt")
    return value / 100


def score(text):
    return fraction(text, one_is_all=True)


def points(fraction):
    return "unknown" if fraction is None else f"{100 * fraction:.1f}"


def main():
    parser = argparse.ArgumentParser(description="Whether a model got worse.")
    parser.add_argument("bundle", help="the Worker's address of the bundle, its version too")
    parser.add_argument("--responses", action="append", required=True, metavar="FILE")
    parser.add_argument("--baseline", action="append", default=[], metavar="FILE")
    parser.add_argument("--max-drop", type=fraction, default=0.01, metavar="POINTS")
    parser.add_argument("--min-score", type=score, metavar="POINTS")
    parser.add_argument("--alarms-per-year", type=float, default=1, metavar="N")
    options = parser.parse_args()
    try:
        if not options.bundle.startswith(("http://", "https://")):
            raise ValueError(f"{options.bundle}: the address of a bundle begins with https:// or http://")
        body = {
            "current": [run_of(path) for path in options.responses],
            "baselines": [run_of(path) for path in options.baseline],
            "maxDrop": options.max_drop,
            "alarmsPerYear": options.alarms_per_year,
        }
    except (OSError, ValueError) as error:
        print(f"check.py: {error}", file=sys.stderr)
        return 2
    if options.min_score is not None:
        body["minScore"] = options.min_score
    try:
        result = ask(options.bundle, body)
    except urllib.error.HTTPError as error:
        print(f"check.py: {error.code}: {error.read().decode(errors='replace')}", file=sys.stderr)
        return 2 if 400 <= error.code < 500 and error.code != 429 else 1
    except (OSError, ValueError) as error:
        print(f"check.py: {options.bundle}: {error}", file=sys.stderr)
        return 1
    lines = [f"warning: {warning['message']}" for warning in result["warnings"]]
    if result["drop"]:
        drop = result["drop"]
        lines.append(f"drop: {points(drop['drop'])} points, surely above {points(drop['low'])}, at most {points(drop['high'])}")
    if result["minimum"]:
        low = result["minimum"]
        lines.append(f"score: {points(low['score'])}, at least {points(low['low'])}, surely below {points(low['high'])}")
    try:
        print("\n".join([*lines, result["verdict"].upper()]), flush=True)
    except BrokenPipeError:  # nobody reads (… | head): the exit code says it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return EXIT_CODES[result["verdict"]]


if __name__ == "__main__":
    sys.exit(main())
