from __future__ import annotations

from statistics import NormalDist

from ._words import Bounds


def standard_error(interval: Bounds | None) -> float | None:
    """The half-width over the normal quantile of the level: what harnesses print behind ±."""
    if interval is None:
        return None
    return (interval.high - interval.low) / 2 / NormalDist().inv_cdf((1 + interval.level) / 2)
