import type { OptionReader } from "anchoreval/cli";
import { DataIssues, quoted } from "anchoreval/node";
import { modelAndValue, readLines } from "./line-file.ts";

/** The table of `--families FILE`, where it is given. */
export async function readFamilies(options: OptionReader): Promise<{ readonly families?: Map<string, string> }> {
  const file = options.text("families");
  return file === undefined ? {} : { families: await readFamiliesFile(file) };
}

/**
 * Reads families of models: lines of `model,family`; models that the responses don't have may be among them.
 * @throws AnchorEvalError `not_found`, `invalid_data` naming file, line and rule
 */
export async function readFamiliesFile(file: string): Promise<Map<string, string>> {
  const issues = new DataIssues(file, "lines");
  const families = new Map<string, string>();
  for (const { row, text } of await readLines(file)) {
    const [model, family] = modelAndValue(text);
    const known = families.get(model);
    if (model === "" || family === "") issues.add({ row }, "wrong_type", `a line is model,family, got ${quoted(text)}`);
    else if (known !== undefined && known !== family)
      issues.add({ row }, "duplicate", `model ${quoted(model)} is of two families, ${quoted(known)} above`);
    else families.set(model, family);
  }
  issues.refuse();
  return families;
}
