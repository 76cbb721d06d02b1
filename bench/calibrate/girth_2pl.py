"""girth's twopl_mml on a matrix of responses: girth_2pl.py ANSWERS MODELS ITEMS OUT

ANSWERS is a file of bytes, model by model: 1 right, 0 wrong, 255 no answer. OUT gets the items' parameters and the
seconds of the fit alone, imports and reading left out.
"""

import json
import resource
import sys
import time
import warnings

import numpy
from girth import INVALID_RESPONSE, twopl_mml

warnings.simplefilter("ignore")
answers, models, items, out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
matrix = numpy.fromfile(answers, dtype=numpy.uint8).reshape(models, items).astype(int)
matrix[matrix == 255] = INVALID_RESPONSE
begun, used = time.monotonic(), time.process_time()
fit = twopl_mml(matrix.T)
seconds, cpu = time.monotonic() - begun, time.process_time() - used
difficulty = numpy.asarray(fit["Difficulty"], dtype=float)
discrimination = numpy.asarray(fit["Discrimination"], dtype=float)
ability = numpy.asarray(fit["Ability"], dtype=float)
with open(out, "w") as file:
    json.dump(
        {
            "seconds": seconds,
            "cpu": cpu,
            "peakBytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024),
            # JSON has no NaN: null.
            **{
                name: [float(value) if numpy.isfinite(value) else None for value in values]
                for name, values in {"a": discrimination, "difficulty": difficulty, "ability": ability}.items()
            },
        },
        file,
    )
