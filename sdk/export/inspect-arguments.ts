import { AnchorEvalError } from "../core/errors.ts";

/**
 * The arguments of `inspect` that run exactly these samples of a task.
 * @throws AnchorEvalError `unsupported` for an id with a comma, which `--sample-id` would take for two
 * @example inspectArguments("sums", ["sum-3", "sum-7"]) // ["eval", "sums", "--sample-id", "sum-3,sum-7", …]
 */
export function inspectArguments(task: string, ids: readonly (string | number)[]): string[] {
  const broken = ids.find((id) => String(id).includes(","));
  if (broken !== undefined)
    throw new AnchorEvalError(
      "unsupported",
      `${task}: inspect's --sample-id can't take an id with a comma: ${broken}; export --to ids has them a line each`,
    );
  return ["eval", task, "--sample-id", ids.join(","), "--log-dir", "anchors"];
}
