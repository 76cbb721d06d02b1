import { element, freshId } from "../dom.ts";
import type { Session } from "../session.ts";

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
        ? element(
            "button",
            {
              type: "button",
              class: "quiet",
              onclick: () => {
                session.setToken(null);
                onToken();
              },
            },
            "Forget the token",
          )
        : null,
    ),
    element("p", { id: `${id}-hint`, class: "hint" }, "Kept in memory only: closing or reloading the page forgets it."),
  );
}
