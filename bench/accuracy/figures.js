/**
 * What the rows of some back-tests come to, estimator by estimator in the order of the rows, each a list by size: over
 * scenarios the geometric mean of the error relative to random items, the arithmetic mean of all else; null where no
 * scenario has the figure (asked whole, or no interval). `overall` is of the sets' overall scores.
 */
export function accuracyFigures(rows, sizes) {
  const scenarios = rows.filter(({ scenario }) => scenario !== "overall");
  return [...new Set(scenarios.map(({ estimator }) => estimator))].map((estimator) => {
    const bySize = sizes.map((n) => scenarios.filter((row) => row.n === n && row.estimator === estimator));
    const each = (figure) => bySize.map((own) => (own.length > 0 ? figure(own) : null));
    const covered = bySize.map((own) => own.filter(({ coverage95 }) => coverage95 !== null));
    const worst = covered.map((own) => own.toSorted((one, other) => one.coverage95 - other.coverage95)[0] ?? null);
    return {
      estimator,
      scenarios: Math.max(...bySize.map((own) => own.length)),
      ratioToRandom: each((own) => geometricMean(known(own, "ratioToRandom"))),
      worstRatioToRandom: each((own) => largest(known(own, "ratioToRandom"))),
      bias: each((own) => mean(known(own, "bias"))),
      worstBiasToError: each((own) =>
        largest(own.filter(({ mae }) => mae > 0).map(({ bias, mae }) => Math.abs(bias) / mae)),
      ),
      coverage95: each((own) => mean(known(own, "coverage95"))),
      worstCoverage95: worst.map((row) => row?.coverage95 ?? null),
      worstCoverageSe: worst.map((row) => row?.coverageSe ?? null),
      worstScenario: worst.map((row) => row?.scenario ?? null),
      halfWidth95: each((own) => mean(known(own, "halfWidth95"))),
      halfWidthToRandom: each((own) => relative(own, "halfWidth95", "randomHalfWidth95")),
      winklerToRandom: each((own) => relative(own, "winkler95", "randomWinkler95")),
      overall: sizes.map((n) => {
        const own = rows.filter((row) => row.scenario === "overall" && row.n === n && row.estimator === estimator);
        return {
          ratioToRandom: geometricMean(known(own, "ratioToRandom")),
          bias: mean(known(own, "bias")),
          coverage95: mean(known(own, "coverage95")),
        };
      }),
    };
  });
}

/** By how much the errors of one recipe are above (or, below 0, under) another's: a fraction by size, or null. */
export function relativeChange(own, other) {
  return own.ratioToRandom.map((ratio, k) => {
    const before = other.ratioToRandom[k];
    return ratio === null || before === null ? null : ratio / before - 1;
  });
}

/** Mean over scenarios of one figure relative to that of another, of those that have both. */
function relative(rows, figure, toFigure) {
  const both = rows.filter((row) => row[figure] !== null && row[toFigure] !== null);
  return both.length > 0 ? mean(known(both, figure)) / mean(known(both, toFigure)) : null;
}

function known(rows, figure) {
  return rows.flatMap((row) => row[figure] ?? []);
}

function largest(values) {
  return values.length > 0 ? Math.max(...values) : null;
}

function mean(values) {
  return values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
}

/** A ratio of nothing (an exact estimate) counts as a thousandth. */
function geometricMean(ratios) {
  const log = mean(ratios.map((ratio) => Math.log(Math.max(ratio, 1e-3))));
  return log === null ? null : Math.exp(log);
}
