import { AnchorEvalError } from "../core/errors.ts";
import type { RunLog } from "../logs/types.ts";

/**
 * The same logs under another model's name.
 * @throws AnchorEvalError `invalid_option` where they are of several models
 */
export function renameModel(logs: readonly RunLog[], modelName: string): RunLog[] {
  const models = [...new Set(logs.map((log) => log.model))];
  if (models.length > 1)
    throw new AnchorEvalError(
      "invalid_option",
      `--model-name is for the logs of one model, and these are of ${models.length}: ${models.slice(0, 5).join(", ")}${models.length > 5 ? ", …" : ""}`,
    );
  return logs.map((log) => ({ ...log, model: modelName }));
}
