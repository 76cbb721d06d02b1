import type { BenchmarkSummary } from "anchoreval";
import type { BundleIndex } from "anchoreval/publish";

/** What is offered of a benchmark: its versions that aren't yanked. */
export function benchmarkSummary({ benchmark, latest, versions }: BundleIndex): BenchmarkSummary {
  return {
    benchmark,
    latest,
    versions: versions.filter((entry) => !entry.yanked).map(({ version, digest }) => ({ version, digest })),
  };
}
