import type { BenchmarkSummary } from "anchoreval";
import type { BundleIndex } from "anchoreval/publish";

/** What is offered of a benchmark: its versions that aren't yanked; and those that are. */
export function benchmarkSummary({ benchmark, latest, versions }: BundleIndex): BenchmarkSummary {
  return {
    benchmark,
    latest,
    versions: versions.filter((entry) => !entry.yanked).map(({ version, digest }) => ({ version, digest })),
    yanked: versions
      .filter((entry) => entry.yanked)
      .map(({ version, digest, reason }) => ({ version, digest, ...(reason !== undefined && { reason }) })),
  };
}
