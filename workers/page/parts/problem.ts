import { AnchorEvalError } from "anchoreval";
import { type Child, element, freshId, code, button } from "../dom.ts";
import type { Session } from "../session.ts";

/** Most issues that are shown. */
const MOST_ISSUES = 8;

interface ProblemOptions {
  readonly session: Session;
  /** Called once a token is set. */
  readonly retry: () => void;
}

/**
 * Shows an error: the message of the SDK or the Worker, its issues, and a field for the token if one is required.
 */
export function problem(error: unknown, options?: ProblemOptions): HTMLElement {
  const { code: kind, message, issues } = known(error);
  const listed = issues.length > 1 ? issues : [];
  return element(
    "div",
    { class: "problem", role: "alert" },
    element("p", {}, element("strong", {}, HEADINGS[kind] ?? "That didn’t work"), ": ", message),
    listed.length === 0
      ? null
      : element(
          "ul",
          {},
          listed
            .slice(0, MOST_ISSUES)
            .map(({ path, message: words }): Child => element("li", {}, code(path.join(", ")), " ", words)),
          listed.length > MOST_ISSUES ? element("li", {}, `and ${listed.length - MOST_ISSUES} more`) : null,
        ),
    options && needsToken(kind) ? tokenForm(options.session, options.retry) : null,
  );
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

function needsToken(code: string): boolean {
  return code === "unauthorized" || code === "forbidden";
}

function known(error: unknown): Pick<AnchorEvalError, "message" | "issues"> & { readonly code: string } {
  if (error instanceof AnchorEvalError)
    return { code: error.code, message: plain(error.message), issues: error.issues };
  console.error(error);
  return { code: "internal", message: error instanceof Error ? error.message : String(error), issues: [] };
}

/** A message without the URL and status that the client puts before it, and without the dashes of command-line options. */
function plain(message: string): string {
  return message.replace(/^https?:\S+: \d{3}: /, "").replace(/(^|\s)--(?=[a-z])/g, "$1");
}

/** A field for the bearer token of protected benchmarks, which is kept in memory until the page is closed or reloaded. */
export function tokenForm(session: Session, onToken: () => void): HTMLElement {
  const id = freshId("token");
  const input = element("input", {
    id,
    type: "password",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
    "aria-describedby": `${id}-hint`,
  });
  return element(
    "form",
    {
      class: "token",
      onsubmit: (event) => {
        event.preventDefault();
        session.setToken(input.value.trim());
        onToken();
      },
    },
    element("label", { for: id }, "Token"),
    element(
      "div",
      { class: "row" },
      input,
      element("button", { type: "submit" }, "Use it"),
      session.hasToken
        ? button(
            "quiet",
            () => {
              session.setToken(null);
              onToken();
            },
            "Forget the token",
          )
        : null,
    ),
    element("p", { id: `${id}-hint`, class: "hint" }, "Kept in memory only: closing or reloading the page forgets it."),
  );
}
