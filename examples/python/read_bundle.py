#!/usr/bin/env python3
"""Reads a bundle and computes anchor-mean, p-IRT and gp-IRT of one model's answers: numpy and safetensors, nothing else.

    pip install numpy safetensors
    python3 read_bundle.py BUNDLE --form 50 answers.json

BUNDLE is a folder, or an address of a bundle on a Worker or any static host. answers.json has {"item id": score}, null
for no answer. The numbers are those of `anchoreval estimate` (details, estimators) to 1e-6. docs/bundle-format.md
describes the files, docs/formulas.md the sums; the score that is served (`gate`) and its interval take a page more:
test/fixtures/golden-bundle/check.py has them.
"""

import argparse
import hashlib
import json
import pathlib
import urllib.request

import numpy as np
import safetensors.numpy

ASKED_TOGETHER = 0.7  # share of a scenario's anchors below which answers no longer count in other scenarios


class Bundle:
    def __init__(self, place):
        self.place = place
        whole = self.read("manifest.json")
        if whole[:79] != b'{"checksum":"%s",' % hashlib.sha256(whole[79:]).hexdigest().encode():
            raise SystemExit("manifest.json is damaged, or of a format before 1.4")
        self.manifest = json.loads(whole)
        if self.manifest["formatVersion"].split(".")[0] != "1":
            raise SystemExit(f"format {self.manifest['formatVersion']} is too new for this program")
        self.sizes = {entry["name"]: entry for entry in self.manifest["files"]}
        self.tensors = safetensors.numpy.load(self.checked("parameters.safetensors"))
        self.anchors = [json.loads(line) for line in self.checked("anchors.jsonl").decode().splitlines()]

    def read(self, name):
        if "://" not in self.place:
            return pathlib.Path(self.place, name).read_bytes()
        # a Worker has its files under /files, a static host beside the manifest
        served = "/v1/bundles/" in self.place
        path = "" if served and name == "manifest.json" else "/files/" + name if served else "/" + name
        with urllib.request.urlopen(self.place.rstrip("/") + path, timeout=60) as response:
            return response.read()

    def checked(self, name):
        data = self.read(name)
        if hashlib.sha256(data).hexdigest() != self.sizes[name]["sha256"]:
            raise SystemExit(f"{name} is damaged: its digest is another one than the manifest's")
        return data

    def tensor(self, s, name):
        """A tensor of scenario number s; None where there is none."""
        return self.tensors.get(f"scenario.{s}.{name}")

    def bank(self, s):
        name = self.manifest["scenarios"][s]["id"]
        return next(bank for bank in self.manifest["banks"] if name in bank["scenarios"])


def item_weights(manifest, scenario):
    """Of every item in its scenario's score, summing to 1."""
    if manifest["weighting"] == "items":
        return np.full(scenario["items"], 1 / scenario["items"])
    sizes = [part["items"] for part in scenario["subscenarios"]]
    return np.concatenate([np.full(size, 1 / (len(sizes) * size)) for size in sizes])


def answers_of(bundle, s, form, responses):
    """Positions in the form, items and scores of the answered anchors of a scenario."""
    name = bundle.manifest["scenarios"][s]["id"]
    ids = {anchor["index"]: anchor["item_id"] for anchor in bundle.anchors if anchor["scenario"] == name}
    items = bundle.tensor(s, f"form.{form}.items")
    scores = [responses.get(ids[int(item)]) for item in items]
    answered = [j for j, score in enumerate(scores) if score is not None]
    return answered, items[answered].astype(int), np.array([scores[j] for j in answered], dtype=float)


def masses(mass, answered):
    """Half of a missing anchor's mass goes to the nearest answered one on either side, all of it to an only one."""
    shared = {j: mass[j] for j in answered}
    for j in sorted(set(range(len(mass))) - set(answered)):
        before, after = [k for k in answered if k < j][-1:], [k for k in answered if k > j][:1]
        for heir in before + after:
            shared[heir] += mass[j] / len(before + after)
    return np.array([shared[j] for j in answered]) / mass.sum()


def ability(bundle, s, evidence):
    """Posterior mode θ of scenario s's bank under N(μ, k²Σ), by Newton's method.

    evidence: by scenario its answered items and scores. Abilities of several banks are one vector; the prior covariance
    between two banks is L·L', with their loadings on the general abilities.
    """
    banks = {t: bundle.bank(t) for t in evidence}
    begin = dict(zip(banks, np.cumsum([0, *(bank["dims"] for bank in banks.values())])))
    size = sum(bank["dims"] for bank in banks.values())
    mean, covariance = np.zeros(size), np.zeros((size, size))
    a, b, y = [], [], []
    for t, (items, scores) in evidence.items():
        here = slice(begin[t], begin[t] + banks[t]["dims"])
        prior = banks[t]["prior"]
        mean[here] = prior["mean"]
        for u in evidence:
            if u != t:
                left, right = (np.reshape(banks[v]["prior"]["loadings"], (banks[v]["dims"], -1)) for v in (t, u))
                covariance[here, begin[u] : begin[u] + banks[u]["dims"]] = left @ right.T
        covariance[here, here] = np.reshape(prior["covariance"], (banks[t]["dims"], -1))
        wide = np.zeros((len(items), size))
        wide[:, here] = bundle.tensor(t, "a")[items]
        a.append(wide)
        b.append(bundle.tensor(t, "b")[items].astype(float))
        y.append(scores)
    a, b, y = np.concatenate(a), np.concatenate(b), np.concatenate(y)
    precision = np.linalg.inv(covariance * bundle.bank(s)["prior"]["scale"] ** 2)

    def log_posterior(theta):
        z = a @ theta - b
        return -np.sum(np.logaddexp(0, z) - y * z) - (theta - mean) @ precision @ (theta - mean) / 2

    theta = mean.copy()
    for _ in range(100):
        p = 1 / (1 + np.exp(-(a @ theta - b)))
        gradient = a.T @ (y - p) - precision @ (theta - mean)
        step = np.linalg.solve(a.T @ (a * (p * (1 - p))[:, None]) + precision, gradient)
        while log_posterior(theta + step) < log_posterior(theta) - 1e-12:
            step /= 2
        theta = theta + step
        if np.abs(step).max() < 1e-10:
            break
    return theta[begin[s] : begin[s] + banks[s]["dims"]]


def estimate(bundle, responses, form):
    """By scenario θ, λ and three estimators, and their mean over the scenarios."""
    manifest = bundle.manifest
    described = next(own for own in manifest["forms"] if own["id"] == form)
    answers = [answers_of(bundle, s, form, responses) for s in range(len(manifest["scenarios"]))]
    result = {}
    for s, scenario in enumerate(manifest["scenarios"]):
        if bundle.tensor(s, "lower") is not None or bundle.tensor(s, "upper") is not None:
            raise SystemExit("this program reads items without asymptotes (1PL, 2PL)")
        mass = bundle.tensor(s, f"form.{form}.mass")
        answered, items, y = answers[s]
        if len(answered) < ASKED_TOGETHER * len(mass):
            raise SystemExit(f"{scenario['id']}: {len(answered)} of {len(mass)} anchors answered are too few here")
        own = described["scenarios"][scenario["id"]]
        together = own["together"]
        evidence = {t: answers[t][1:] for t in (range(len(answers)) if together else [s])}
        theta = ability(bundle, s, evidence)

        p = 1 / (1 + np.exp(-(bundle.tensor(s, "a").astype(float) @ theta - bundle.tensor(s, "b"))))
        if scenario["scoreMap"] is not None:  # scores were binarised for the fit
            p = np.interp(p, scenario["scoreMap"]["x"], scenario["scoreMap"]["y"])
        weights = item_weights(manifest, scenario)
        unseen = np.setdiff1d(np.arange(scenario["items"]), items)
        blend = (together or own)["lambda"]
        anchor_mean = masses(mass, answered) @ y
        p_irt = weights[items] @ y + weights[unseen] @ p[unseen]
        low = weights[items] @ y  # what the answers alone prove
        high = low + weights[unseen].sum()
        gp_irt = blend * min(high, max(low, anchor_mean)) + (1 - blend) * p_irt
        estimators = {"anchor-mean": anchor_mean, "p-irt": p_irt, "gp-irt": gp_irt}
        bounded = {name: float(min(high, max(low, value))) for name, value in estimators.items()}
        result[scenario["id"]] = {"theta": theta.tolist(), "lambda": blend, "estimators": bounded}
    weights = [scenario["weight"] for scenario in manifest["scenarios"]]
    overall = {
        name: float(np.average([own["estimators"][name] for own in result.values()], weights=weights))
        for name in ("anchor-mean", "p-irt", "gp-irt")
    }
    return {"overall": overall, "scenarios": result}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="anchor-mean, p-IRT and gp-IRT of one model's answers")
    parser.add_argument("bundle")
    parser.add_argument("answers")
    parser.add_argument("--form", help="the bundle's default unless given")
    options = parser.parse_args()
    opened = Bundle(options.bundle)
    given = json.loads(pathlib.Path(options.answers).read_text("utf-8"))
    given = given["responses"] if isinstance(given.get("responses"), dict) else given
    print(json.dumps(estimate(opened, given, options.form or opened.manifest["defaultForm"]), indent=2))
