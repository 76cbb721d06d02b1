import { AnchorEvalError } from "anchoreval";
import { type Child, element, freshId, code, button } from "../dom.ts";
import type { Session } from "../session.ts";

/** Issues that are shown at once. */
const MOST_ISSUES = 8;

interface ProblemOptions {
  readonly session: Session;
  /** Called once a token was given. */
  readonly retry: () => void;
}

/**
 * An error for people: its own words, as the SDK and the Worker give them, then what is wrong where. Where a token is
 * needed, the field for it.
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
  not_found: "Nothing is there",
  unauthorized: "This benchmark is protected",
  forbidden: "The token doesn’t allow this",
  invalid_data: "The file breaks a rule of its format",
  invalid_answers: "These answers can’t be scored",
  ambiguous_form: "The answers fit more than one form",
  item_changed: "Items have changed since they were calibrated",
  bundle_corrupt: "The bundle is damaged",
  bundle_invalid: "The bundle breaks its format",
  bundle_format_unsupported: "The bundle is of a newer format",
  unavailable: "The Worker doesn’t answer",
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

/** Without the address and the status before a Worker's own words, and without the command line's dashes. */
function plain(message: string): string {
  return message.replace(/^https?:\S+: \d{3}: /, "").replace(/(^|\s)--(?=[a-z])/g, "$1");
}

/** A field for the bearer token of protected benchmarks. It is kept in memory until the page is closed or reloaded. */
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
