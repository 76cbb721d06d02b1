import { listSetting, type Env } from "../env.ts";
import { HttpProblem } from "../problem.ts";
import { allows, findToken, hasExpired, parseTokens, type Action, type TokenRecord } from "./tokens.ts";

/** Who makes a request, according to the bearer token. */
export interface Caller {
  readonly token: string | null;
  isProtected(benchmark: string): boolean;
  /** @throws HttpProblem `unauthorized` (401) without a valid token, `forbidden` (403) where the token lacks the scope */
  require(action: Action, benchmark: string): void;
  /** Whether the caller may read a benchmark: anyone may, unless it is protected. */
  mayRead(benchmark: string): boolean;
}

const CHALLENGE = 'Bearer realm="anchoreval"';

/**
 * Identifies the caller. An invalid token is refused even where none is needed: whoever sends one expects it to count.
 * @param authorization - the header
 * @throws HttpProblem `unauthorized` for a token that is unknown or expired; `misconfigured` (500) if the secret is
 * malformed
 */
export async function identify(
  authorization: string | undefined,
  settings: Pick<Env, "TOKENS" | "PROTECTED_BENCHMARKS">,
  now: number,
): Promise<Caller> {
  const record = authorization === undefined ? null : await validToken(authorization, settings, now);
  const isProtected = protection(settings.PROTECTED_BENCHMARKS);
  return {
    token: record?.id ?? null,
    isProtected,
    mayRead: (benchmark) => !isProtected(benchmark) || (record !== null && allows(record, "read", benchmark)),
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

/** Tells protected benchmarks from others by the setting's list. */
export function protection(setting: string | undefined): (benchmark: string) => boolean {
  const names = new Set(listSetting(setting));
  return (benchmark) => names.has("*") || names.has(benchmark);
}

async function validToken(authorization: string, { TOKENS }: Pick<Env, "TOKENS">, now: number): Promise<TokenRecord> {
  const [, token] = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization) ?? [];
  if (token === undefined) throw unauthorized("send the token as `Authorization: Bearer TOKEN`", "invalid_request");
  const record = await findToken(tokenRecords(TOKENS), token);
  if (record === null) throw unauthorized("this Worker does not know the token", "invalid_token");
  if (hasExpired(record, now)) throw unauthorized(`the token ${record.id} has expired`, "invalid_token");
  return record;
}

function tokenRecords(secret: string | undefined): readonly TokenRecord[] {
  if (secret === undefined || secret === "") return [];
  try {
    return parseTokens(secret);
  } catch {
    // Its content is secret: not even an issue's path is shown.
    throw new HttpProblem("misconfigured", "the secret TOKENS is malformed: `anchoreval token` makes its entries");
  }
}

function unauthorized(message: string, error?: "invalid_token" | "invalid_request"): HttpProblem {
  return new HttpProblem("unauthorized", message, {
    headers: { "www-authenticate": error ? `${CHALLENGE}, error="${error}"` : CHALLENGE },
  });
}
