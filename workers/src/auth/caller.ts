import { listSetting } from "../list-setting.ts";
import { HttpProblem } from "../problem.ts";
import { allows, findToken, hasExpired, parseTokens, type Action, type TokenRecord } from "./tokens.ts";

/** What authorisation is set up with. */
export interface AccessSettings {
  /** JSON array of {@link TokenRecord}, a secret. Without it nobody has a token. */
  readonly TOKENS?: string;
  /** Benchmarks, comma-separated, whose reading takes a token; `*` for all. */
  readonly PROTECTED_BENCHMARKS?: string;
}

/** Who makes a request, as far as the bearer token says. */
export interface Caller {
  /** The token's id; null without a token. */
  readonly token: string | null;
  /** Whether reading a benchmark takes a token. */
  isProtected(benchmark: string): boolean;
  /** @throws HttpProblem `unauthorized` (401) without a valid token, `forbidden` (403) where the token lacks the scope */
  require(action: Action, benchmark: string): void;
  /** Whether the caller may read a benchmark: everybody may, unless it is protected. */
  mayRead(benchmark: string): boolean;
}

const CHALLENGE = 'Bearer realm="anchoreval"';

/**
 * Finds out who calls. A token that isn't valid is refused even where none is needed: whoever sends one means it.
 * @param authorization - the header
 * @throws HttpProblem `unauthorized` for a token that is unknown or has expired; `misconfigured` (500) where the secret
 * can't be read
 */
export async function identify(
  authorization: string | undefined,
  settings: AccessSettings,
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
        throw unauthorized(`${action === "read" ? "reading" : "publishing"} ${benchmark} takes a bearer token`);
      if (!allows(record, action, benchmark))
        throw new HttpProblem("forbidden", `the token ${record.id} lacks the scope ${action}:${benchmark}`, {
          headers: { "www-authenticate": `${CHALLENGE}, error="insufficient_scope"` },
        });
    },
  };
}

/** Whether a benchmark is protected, by the setting's list. */
export function protection(setting: string | undefined): (benchmark: string) => boolean {
  const names = new Set(listSetting(setting));
  return (benchmark) => names.has("*") || names.has(benchmark);
}

async function validToken(authorization: string, settings: AccessSettings, now: number): Promise<TokenRecord> {
  const [, token] = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization) ?? [];
  if (token === undefined) throw unauthorized("send the token as `Authorization: Bearer TOKEN`", "invalid_request");
  const record = await findToken(records(settings.TOKENS), token);
  if (record === null) throw unauthorized("the token is not known here", "invalid_token");
  if (hasExpired(record, now)) throw unauthorized(`the token ${record.id} has expired`, "invalid_token");
  return record;
}

function records(secret: string | undefined): readonly TokenRecord[] {
  if (secret === undefined || secret === "") return [];
  try {
    return parseTokens(secret);
  } catch {
    // What stands in it is secret: not even an issue's path is shown.
    throw new HttpProblem("misconfigured", "the secret TOKENS can't be read: `anchoreval token` makes its entries");
  }
}

function unauthorized(message: string, error?: "invalid_token" | "invalid_request"): HttpProblem {
  return new HttpProblem("unauthorized", message, {
    headers: { "www-authenticate": error ? `${CHALLENGE}, error="${error}"` : CHALLENGE },
  });
}
