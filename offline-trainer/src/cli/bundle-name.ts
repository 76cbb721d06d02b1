import { BENCHMARK_NAME, VERSION } from "anchoreval/bundle";
import { AnchorEvalError } from "anchoreval/core";

/** A bundle's name and version out of BENCHMARK@X.Y.Z. @throws AnchorEvalError `invalid_option` */
export function readName(name: string): { benchmark: string; version: string } {
  const [benchmark = "", version = "", ...rest] = name.split("@");
  if (rest.length > 0 || !BENCHMARK_NAME.test(benchmark) || !VERSION.test(version))
    throw new AnchorEvalError(
      "invalid_option",
      `--name is BENCHMARK@X.Y.Z, the benchmark of a-z, 0-9, ".", "_", "-" (at most 64), the version semver; got ${name}`,
    );
  return { benchmark, version };
}
