#!/usr/bin/env python3
"""How long the package for Python takes: import, the first bundle, the first estimate, those after it.

python3 bench/python.py [BUNDLE ANSWERS.json]     (the golden bundle unless given; the package must be installed)
"""

import json
import pathlib
import statistics
import sys
import time

begun = time.perf_counter()
import anchoreval  # noqa: E402

GOLDEN = pathlib.Path(__file__).parent.parent / "test/fixtures/golden-bundle"
REPEATS = 2000


def milliseconds(begun):
    return 1000 * (time.perf_counter() - begun)


def main():
    place, answers = sys.argv[1:3] if len(sys.argv) > 2 else (GOLDEN / "bundle", GOLDEN / "answers.json")
    given = json.loads(pathlib.Path(answers).read_text("utf-8"))
    print(f"import                       {milliseconds(begun):8.1f} ms")
    start = time.perf_counter()
    bundle = anchoreval.load(place)
    print(f"Node, and the first bundle   {milliseconds(start):8.1f} ms")
    start = time.perf_counter()
    anchoreval.estimate(bundle, given)
    print(f"first estimate               {milliseconds(start):8.1f} ms")
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        anchoreval.estimate(bundle, given)
        times.append(milliseconds(start))
    high = statistics.quantiles(times, n=20)[-1]
    print(
        f"each of {REPEATS} after it        {statistics.median(times):8.2f} ms at the median, {high:.2f} at most for 95 %"
    )
    print(f"{bundle.benchmark} {bundle.version}, {len(given)} answers, {len(bundle.scenarios)} scenarios")


if __name__ == "__main__":
    main()
