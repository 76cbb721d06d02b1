import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { WEIGHTINGS, type Manifest, type Weighting } from "anchoreval/bundle";
import { AnchorEvalError } from "anchoreval/core";

/** What `anchoreval import` left beside the responses. */
export interface ImportFacts {
  readonly protocol?: Manifest["protocol"];
  readonly weighting?: Weighting;
}

/** Reads import.json beside the responses, where there is one. */
export async function readImportFacts(responses: string): Promise<ImportFacts> {
  const path = join(dirname(responses), "import.json");
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    if (["ENOENT", "ENOTDIR"].includes((cause as NodeJS.ErrnoException).code!)) return {};
    throw new AnchorEvalError("invalid_data", `${path}: it could not be read`, { cause });
  }
  const refuse = (message: string, field: string[] = [], cause?: unknown): never => {
    const issues = [{ path: [path, ...field], code: "invalid_value", message }];
    const where = field.length > 0 ? `field "${field.join(".")}": ` : "";
    throw new AnchorEvalError("invalid_data", `${path}: ${where}${message}`, { issues, cause });
  };
  const facts = ((): unknown => {
    try {
      return JSON.parse(text);
    } catch (cause) {
      return refuse("it is not JSON", [], cause);
    }
  })();
  if (!isRecord(facts)) return refuse("it is not a JSON object");
  const { protocol, weighting } = facts;
  if (weighting !== undefined && !WEIGHTINGS.some((known) => known === weighting))
    refuse(`it is ${WEIGHTINGS.join(" or ")}, got ${JSON.stringify(weighting)}`, ["weighting"]);
  if (protocol !== undefined && !isRecord(protocol)) refuse("it is not a JSON object", ["protocol"]);
  for (const [name, value] of Object.entries(protocol ?? {}))
    if (!["string", "number", "boolean"].includes(typeof value))
      refuse(`it is text, a number, true or false, got ${JSON.stringify(value)}`, ["protocol", name]);
  return {
    ...(protocol !== undefined && { protocol: protocol as Manifest["protocol"] }),
    ...(weighting !== undefined && { weighting: weighting as Weighting }),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
