#!/usr/bin/env python3
"""A model's score from its answers to the anchors, by a Worker: Python's standard library, nothing else.

    python3 estimate.py https://evals.example.com/v1/bundles/mine/1.0.0 --form 50 answers.json

In a notebook:

    from estimate import anchors, score
    ids = [anchor["item_id"] for anchor in anchors("https://evals.example.com/v1/bundles/mine/1.0.0", "50")]
    result = score("https://evals.example.com/v1/bundles/mine/1.0.0", {id: ask(id) for id in ids}, "50")
"""

import argparse
import json
import pathlib
import urllib.error
import urllib.parse
import urllib.request


class Refused(Exception):
    """What the Worker refused, and why: its problem document."""

    def __init__(self, problem):
        super().__init__(problem["detail"] + f" [{problem['code']}]")
        self.problem = problem


def call(url, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        raise Refused(json.load(error)) from None


def anchors(bundle, form=None):
    """The items to ask, in their order: item_id, scenario, and where the bundle has them task, doc_id and text."""
    query = "" if form is None else "?" + urllib.parse.urlencode({"form": form})
    return call(bundle + "/anchors" + query)["anchors"]


def score(bundle, responses, form=None):
    """The estimate: score, interval, warnings, scenarios; fractions in [0,1]. A None among the answers is no answer."""
    return call(bundle + "/estimates", {"responses": responses, **({} if form is None else {"form": form})})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A model's score from its answers to the anchors")
    parser.add_argument("bundle")
    parser.add_argument("answers", help='{"item id": score}, null for no answer; or {"responses": {…}}')
    parser.add_argument("--form")
    options = parser.parse_args()
    try:
        given = json.loads(pathlib.Path(options.answers).read_text("utf-8"))
        if not isinstance(given, dict):
            raise ValueError(f'{options.answers}: answers are {{"item id": score}}')
        # {"responses": {…}} is a request's body; an item may be called "responses", then it has a score
        given = given["responses"] if isinstance(given.get("responses"), dict) else given
        result = score(options.bundle.rstrip("/"), given, options.form)
    except (Refused, OSError, ValueError) as error:
        raise SystemExit(f"estimate.py: {error}") from None
    if result["score"] is None:
        raise SystemExit(f"estimate.py: {result['reason']}")
    interval = result["interval"]
    between = f", 95 % interval {100 * interval['low']:.1f} to {100 * interval['high']:.1f}" if interval else ""
    print(f"{100 * result['score']:.1f}{between}")
    for warning in result["warnings"]:
        print("warning:", warning["message"])
