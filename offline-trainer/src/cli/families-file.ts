import { readFile } from "node:fs/promises";
import { AnchorEvalError } from "anchoreval/core";
import type { OptionReader } from "anchoreval/cli";
import { DataIssues, quoted } from "anchoreval/node";

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
  let content: string;
  try {
    content = await readFile(file, "utf8");
  } catch (cause) {
    throw new AnchorEvalError("not_found", `${file} could not be read`, { cause });
  }
  const issues = new DataIssues(file, "lines");
  const families = new Map<string, string>();
  for (const [index, line] of content.split("\n").entries()) {
    const text = line.trim();
    if (text === "") continue;
    const at = { row: index + 1 };
    const comma = text.lastIndexOf(",");
    const [model, family] = [text.slice(0, comma).trim(), text.slice(comma + 1).trim()];
    const known = families.get(model);
    if (comma < 1 || model === "" || family === "")
      issues.add(at, "wrong_type", `a line is model,family, got ${quoted(text)}`);
    else if (known !== undefined && known !== family)
      issues.add(at, "duplicate", `model ${quoted(model)} is of two families, ${quoted(known)} above`);
    else families.set(model, family);
  }
  issues.refuse();
  return families;
}
