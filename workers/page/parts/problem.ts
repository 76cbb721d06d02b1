import { AnchorEvalError } from "anchoreval";
import { bullets, button, type Child, element, labelled, submitting } from "./dom.ts";
import type { Session } from "./session.ts";

const MOST_ISSUES = 8;

interface ProblemOptions {
  readonly session: Session;
  readonly retry: () => void;
}

/** Shows an error: the message of the SDK or the Worker, its issues, and a field for the token if one is required. */
export function problem(error: unknown, options?: ProblemOptions): HTMLElement {
  const isExpected = error instanceof AnchorEvalError;
  if (!isExpected) console.error(error);
  const kind = isExpected ? error.code : "internal";
  const issues = isExpected && error.issues.length > 1 ? error.issues : [];
  const listed = issues
    .slice(0, MOST_ISSUES)
    .map(({ path, message }): Child => [element("code", path.join(", ")), " ", message]);
  if (issues.length > MOST_ISSUES) listed.push(`and ${issues.length - MOST_ISSUES} more`);
  return element("div.problem", { role: "alert" }, [
    element("p", element("strong", HEADINGS[kind] ?? "That didn’t work"), ": ", messageOf(error)),
    listed.length > 0 ? bullets(listed) : null,
    options && NEED_TOKENS.includes(kind) ? tokenForm(options.session, options.retry) : null,
  ]);
}

const HEADINGS: Readonly<Record<string, string>> = {
  not_found: "Not found",
  unauthorized: "This benchmark is protected",
  forbidden: "The token doesn’t allow this",
  invalid_data: "The file is malformed",
  invalid_answers: "These answers can’t be scored",
  ambiguous_form: "The answers fit more than one form",
  item_changed: "Items have changed since they were calibrated",
  bundle_corrupt: "The bundle is damaged",
  bundle_invalid: "The bundle is invalid",
  bundle_format_unsupported: "The bundle has a newer format",
  unavailable: "The Worker is not responding",
  rate_limited: "Too many requests",
};

const NEED_TOKENS: readonly string[] = ["unauthorized", "forbidden"];

/** Without the URL and status that the client puts before a message, and without the dashes of command-line options. */
function messageOf(error: unknown): string {
  if (error instanceof AnchorEvalError)
    return error.message.replace(/^https?:\S+: \d{3}: /, "").replace(/(^|\s)--(?=[a-z])/g, "$1");
  return error instanceof Error ? error.message : String(error);
}

/** A field for the bearer token of protected benchmarks, which is kept in memory until the page is closed or reloaded. */
export function tokenForm(session: Session, onToken: () => void): HTMLElement {
  const use = (token: string | null): void => {
    session.setToken(token);
    onToken();
  };
  const input = element("input", { type: "password", autocomplete: "off", spellcheck: "false", required: true });
  const row = element("div.row", [
    input,
    element("button", { type: "submit" }, "Use it"),
    session.hasToken ? button("quiet", "Forget the token", () => use(null)) : null,
  ]);
  const hint = "Kept in memory only: closing or reloading the page forgets it.";
  return element(
    "form.token",
    { onsubmit: submitting(() => use(input.value.trim())) },
    labelled("Token", input, hint, row),
  );
}
