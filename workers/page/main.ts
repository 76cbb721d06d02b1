import { benchmarkView, homeView } from "./views/benchmarks.ts";
import { bundleView } from "./views/bundle.ts";
import { element, fill } from "./parts/dom.ts";
import { fitView } from "./views/fit.ts";
import { problem } from "./parts/problem.ts";
import { parseRoute, type Route } from "./parts/route.ts";
import { Session, type View } from "./parts/session.ts";

const main = document.querySelector("main")!;
const session = new Session();
let shown = 0;

async function viewOf(route: Route): Promise<View> {
  switch (route.view) {
    case "home":
      return homeView(session, refresh);
    case "fit":
      return fitView(session);
    case "benchmark":
      return benchmarkView(session, route.benchmark);
    case "bundle":
      return bundleView(session, route);
    case "unknown":
      return {
        title: "Page not found",
        content: [element("h1", "Page not found"), element("p", element("a", { href: "#/" }, "All benchmarks"))],
      };
  }
}

async function show({ focus }: { focus: boolean }): Promise<void> {
  const number = ++shown;
  const route = parseRoute(location.hash);
  markCurrent(route);
  main.setAttribute("aria-busy", "true");
  const slow = setTimeout(() => {
    if (number === shown) fill(main, element("p.waiting", { role: "status" }, "Loading …"));
  }, 150);
  let view: View;
  try {
    view = await viewOf(route);
  } catch (error) {
    view = {
      title: "Error",
      content: [element("h1", "This page can’t be shown"), problem(error, { session, retry: refresh })],
    };
  }
  clearTimeout(slow);
  if (number !== shown) return;
  main.removeAttribute("aria-busy");
  document.title = view.title === "anchoreval" ? view.title : `${view.title} · anchoreval`;
  fill(main, view.content);
  if (!focus) return;
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
}

/** Shows the same place again after the token has changed. */
function refresh(): void {
  void show({ focus: false });
}

function markCurrent(route: Route): void {
  const current = route.view === "fit" ? "#/fit" : "#/";
  for (const link of document.querySelectorAll("header.site nav a")) {
    if (link.getAttribute("href") === current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

document.querySelector(".skip")!.addEventListener("click", (event) => {
  event.preventDefault(); // the part after # is a place of its own here
  main.focus();
});
addEventListener("hashchange", () => void show({ focus: true }));
void show({ focus: false });
