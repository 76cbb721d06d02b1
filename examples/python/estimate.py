#!/usr/bin/env python3
"""A model's score from its answers to the anchors, by the package anchoreval.

    python3 estimate.py BUNDLE --form 50 answers.json

BUNDLE is a folder, or the address of a Worker's bundle. answers.json has {"item id": score}, null for no answer.
"""

import argparse
import json
import pathlib

import anchoreval


def read_answers(path):
    """The answers of a file; {"responses": {…}} is a request's body, but an item may be called "responses", too."""
    given = json.loads(pathlib.Path(path).read_text("utf-8"))
    if not isinstance(given, dict):
        raise ValueError(f'{path}: answers are {{"item id": score}}')
    return given["responses"] if isinstance(given.get("responses"), dict) else given


def main():
    parser = argparse.ArgumentParser(description="A model's score from its answers to the anchors")
    parser.add_argument("bundle")
    parser.add_argument("answers", help='{"item id": score}, null for no answer; or {"responses": {…}}')
    parser.add_argument("--form")
    options = parser.parse_args()
    try:
        bundle = anchoreval.load(options.bundle)
        result = anchoreval.estimate(bundle, read_answers(options.answers), form=options.form)
    except (anchoreval.AnchorEvalError, OSError, ValueError) as error:
        raise SystemExit(f"estimate.py: {error}") from None
    if result.score is None:
        raise SystemExit(f"estimate.py: {result.reason}")
    interval = result.interval
    between = f", 95 % interval {100 * interval.low:.1f} to {100 * interval.high:.1f}" if interval else ""
    print(f"{100 * result.score:.1f}{between}")
    for warning in result.warnings:
        print("warning:", warning.message)


if __name__ == "__main__":
    main()
