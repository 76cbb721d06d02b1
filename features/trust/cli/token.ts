import { createHash, randomBytes } from "node:crypto";
import { isAccessScope } from "anchoreval/internal/core/bundle/names";
import { type Action, invalidOption, option, readExpiry } from "../../../cli/src/program/command.ts";

export const makeToken: Action = {
  summary: "a bearer token for a Worker, and the record that its secret TOKENS keeps",
  options: {
    Token: {
      id: option("NAME", "name of the token in logs and in the secret, such as its user", { required: true }),
      scope: option("ACTION:BENCHMARK", "permission: publish or read, and a benchmark or * for all; may be repeated", {
        multiple: true,
        required: true,
      }),
      expires: option("DATE", "last day (UTC), or an ISO 8601 time (default: never expires)"),
    },
  },
  examples: ["keys token --id ci --scope publish:quiz", "keys token --id team --scope read:* --expires 2027-01-31"],
  run: ({ options, output }) => {
    const id = options.required("id");
    if (id.length > 64) throw invalidOption("--id has at most 64 characters");
    const scopes = options.texts("scope");
    if (scopes.length === 0) throw invalidOption("--scope is needed, such as --scope publish:helm-lite");
    const wrong = scopes.find((scope) => !isAccessScope(scope));
    if (wrong !== undefined)
      throw invalidOption(`--scope must be publish:BENCHMARK or read:BENCHMARK, * for every one; got ${wrong}`);
    const expires = readExpiry(options.text("expires"));
    const token = `anchoreval_${randomBytes(32).toString("base64url")}`;
    const record = { id, sha256: createHash("sha256").update(token).digest("hex"), scopes, expires };
    if (output.json) output.document({ token, record });
    else {
      output.line(token);
      output.remark("That is the token: it is shown once and kept nowhere. Clients send it as ANCHOREVAL_TOKEN.");
      output.remark(
        "Add this record to the array in the Worker's secret TOKENS (npx wrangler secret put TOKENS --env production):",
      );
      output.line(JSON.stringify(record));
    }
    return Promise.resolve();
  },
};
