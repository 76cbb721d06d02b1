import { createHash, randomBytes } from "node:crypto";
import { isAccessScope } from "../core/bundle/names.ts";
import { AnchorEvalError } from "../core/errors.ts";
import type { Command } from "./command.ts";

/** `anchoreval token`: a bearer token for a Worker, and the record of it that the Worker keeps. */
export const tokenCommand: Command = {
  name: "token",
  summary: "a bearer token for a Worker, and the record that its secret TOKENS keeps",
  options: {
    id: { type: "string", value: "NAME", description: "what logs and the secret call it, such as who uses it" },
    scope: {
      type: "string",
      multiple: true,
      value: "publish:B|read:B",
      description: "what it allows with benchmark B, * for every one; may be repeated",
    },
    expires: { type: "string", value: "DATE", description: "its last day (UTC), or an ISO 8601 time (default: none)" },
  },
  run: ({ options, output }) => {
    const id = options.required("id");
    if (id.length > 64) throw new AnchorEvalError("invalid_option", "--id has at most 64 characters");
    const scopes = options.texts("scope");
    if (scopes.length === 0)
      throw new AnchorEvalError("invalid_option", "--scope is needed, such as --scope publish:helm-lite");
    const wrong = scopes.find((scope) => !isAccessScope(scope));
    if (wrong !== undefined)
      throw new AnchorEvalError(
        "invalid_option",
        `--scope is publish:BENCHMARK or read:BENCHMARK, * for every one; got ${wrong}`,
      );
    const expires = readExpiry(options.text("expires"));
    const token = `anchoreval_${randomBytes(32).toString("base64url")}`;
    const record = { id, sha256: createHash("sha256").update(token).digest("hex"), scopes, expires };
    if (output.json) output.document({ token, record });
    else {
      output.line(token);
      output.remark("That is the token: it is shown once and kept nowhere. Clients send it as ANCHOREVAL_TOKEN.");
      output.remark("Add this record to the array in the Worker's secret TOKENS (npx wrangler secret put TOKENS):");
      output.line(JSON.stringify(record));
    }
    return Promise.resolve(0);
  },
};

/** The end of a day, or a time. */
function readExpiry(text: string | undefined): string | null {
  if (text === undefined) return null;
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const time = new Date(day ? `${text}T23:59:59Z` : text);
  if (Number.isNaN(time.getTime()) || (!day && !/(Z|[+-]\d{2}:\d{2})$/.test(text)))
    throw new AnchorEvalError(
      "invalid_option",
      `--expires is a day like 2027-01-31, or a time with its zone like 2027-01-31T12:00:00Z; got ${text}`,
    );
  return time.toISOString();
}
