"""Others' estimators of people's mean from a judge and few labels, for bench/judge.js: a line of JSON has cells
`[{"judge": [...], "labels": [[place, label], …]}, …]`, and each is answered by a line with intervals by method, null where a
method refuses. Needs cje-eval 0.9.3 and evalstats 0.3.3."""

import json
import logging
import sys
import warnings
from collections.abc import Callable
from multiprocessing import Pool

import numpy as np
from cje import calibrated_mean_ci
from evalstats import judge_debias_mean_ci

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)


def cje(judge: np.ndarray, labels: np.ndarray, weight: str) -> tuple[float, float]:
    low, high = calibrated_mean_ci(judge, labels, correction_weight=weight).ci
    return low, high


def evalstats(judge: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    result = judge_debias_mean_ci(judge, labels, rng=1)
    return result.ci_low, result.ci_high


METHODS: dict[str, Callable[[np.ndarray, np.ndarray], tuple[float, float]]] = {
    "cje": lambda judge, labels: cje(judge, labels, "one"),
    "cje, tuned": lambda judge, labels: cje(judge, labels, "tuned"),
    "evalstats": evalstats,
}


def intervals(cell: dict) -> dict:
    judge = np.asarray(cell["judge"], dtype=float)
    labels = np.full(len(judge), np.nan)
    for place, label in cell["labels"]:
        labels[place] = label
    answer = {}
    for name, method in METHODS.items():
        try:
            low, high = method(judge, labels)
            answer[name] = {"low": float(low), "high": float(high)} if np.isfinite(high - low) else None
        except ValueError as error:
            print(f"{name}: {error}", file=sys.stderr)
            answer[name] = None
    return answer


if __name__ == "__main__":
    with Pool() as pool:
        for line in sys.stdin:
            for answer in pool.imap(intervals, json.loads(line), chunksize=5):
                print(json.dumps(answer), flush=True)
