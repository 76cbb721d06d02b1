"""Runs a command and reports what it took, as JSON in a file: measured.py OUT COMMAND…"""

import json
import resource
import subprocess
import sys
import time

out, command = sys.argv[1], sys.argv[2:]
begun = time.monotonic()
run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
wall = time.monotonic() - begun
used = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(out, "w") as file:
    json.dump(
        {
            "status": run.returncode,
            "wall": wall,
            "cpu": used.ru_utime + used.ru_stime,
            "peakBytes": used.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
            "log": run.stdout[-4000:],
        },
        file,
    )
