import { HttpProblem } from "../platform/problem.ts";
import type { Settings } from "../platform/settings.ts";
import { allows, findToken, hasExpired, type Action, type TokenRecord } from "../platform/tokens.ts";

/** Who makes a request, according to the bearer token. */
export interface Caller {
  readonly token: string | null;
  isProtected(benchmark: string): boolean;
  /** @throws HttpProblem `unauthorized` (401) without a valid token, `forbidden` (403) where the token lacks the scope */
  require(action: Action, benchmark: string): void;
  /** @param what - that takes a token, whatever its scopes @throws HttpProblem `unauthorized` (401) without one */
  requireToken(what: string): void;
  /** Whether the caller may read a benchmark: anyone may, unless it is protected. */
  mayRead(benchmark: string): boolean;
}

const CHALLENGE = 'Bearer realm="anchoreval"';

/**
 * Identifies the caller. An invalid token is refused even where none is needed: whoever sends one expects it to count.
 * @param authorization - the header
 * @throws HttpProblem `unauthorized` for a token that is unknown or expired
 */
export async function identify(
  authorization: string | undefined,
  { tokens, isProtected }: Pick<Settings, "tokens" | "isProtected">,
  now: number,
): Promise<Caller> {
  const record = authorization === undefined ? null : await validToken(authorization, tokens, now);
  return {
    token: record?.id ?? null,
    isProtected,
    mayRead: (benchmark) => !isProtected(benchmark) || (record !== null && allows(record, "read", benchmark)),
    requireToken: (what) => {
      if (record === null) throw unauthorized(`${what} requires a bearer token`);
    },
    require: (action, benchmark) => {
      if (action === "read" && !isProtected(benchmark)) return;
      if (record === null)
        throw unauthorized(`${action === "read" ? "reading" : "publishing"} ${benchmark} requires a bearer token`);
      if (!allows(record, action, benchmark))
        throw new HttpProblem("forbidden", `the token ${record.id} lacks the scope ${action}:${benchmark}`, {
          headers: { "www-authenticate": `${CHALLENGE}, error="insufficient_scope"` },
        });
    },
  };
}

async function validToken(authorization: string, tokens: readonly TokenRecord[], now: number): Promise<TokenRecord> {
  const [, token] = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization) ?? [];
  if (token === undefined) throw unauthorized("send the token as `Authorization: Bearer TOKEN`", "invalid_request");
  const record = await findToken(tokens, token);
  if (record === null) throw unauthorized("this Worker does not know the token", "invalid_token");
  if (hasExpired(record, now)) throw unauthorized(`the token ${record.id} has expired`, "invalid_token");
  return record;
}

function unauthorized(message: string, error?: "invalid_token" | "invalid_request"): HttpProblem {
  return new HttpProblem("unauthorized", message, {
    headers: { "www-authenticate": error ? `${CHALLENGE}, error="${error}"` : CHALLENGE },
  });
}
