"""Prints the folder of the tasks, for `--include_path`."""

from pathlib import Path

print(Path(__file__).parent)
