import { benchmarkView, homeView } from "./views/benchmarks.ts";
import { aboutTab } from "./views/about.ts";
import { compareTab } from "./views/compare.ts";
import { itemsTab } from "./views/items.ts";
import { scoreTab } from "./views/score.ts";
import { type Child, element, fill, idText } from "./parts/dom.ts";
import { fitView } from "./views/fit.ts";
import { problem } from "./parts/problem.ts";
import { benchmarkHref, bundleHref, parseRoute, type Route, type Tab, TABS } from "./parts/route.ts";
import { type BundlePage, type BundleRoute, Session, type View } from "./parts/session.ts";

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
      return bundleView(route);
    case "unknown":
      return {
        title: "Page not found",
        content: [element("h1", "Page not found"), element("p", element("a", { href: "#/" }, "All benchmarks"))],
      };
  }
}

const CONTENTS: Readonly<Record<Tab, readonly [name: string, content: (page: BundlePage) => Child]>> = {
  about: ["Accuracy", aboutTab],
  items: ["Items", itemsTab],
  score: ["Score a model", scoreTab],
  compare: ["Compare two", compareTab],
};

async function bundleView(route: BundleRoute): Promise<View> {
  const { place, tab, form } = route;
  const bundle = await session.bundle(place);
  const { benchmark, version, description } = bundle.manifest;
  const [name, content] = CONTENTS[tab];
  const all = element("a", { href: benchmarkHref(benchmark) }, "all versions");
  const why = [element("strong", "This version was yanked by its publisher"), `: ${bundle.yanked}`];
  const link = (to: Tab): Child =>
    element("a", { href: bundleHref(place, to, form), "aria-current": to === tab ? "page" : null }, CONTENTS[to][0]);
  return {
    title: `${benchmark} ${version}: ${name}`,
    content: [
      element("div.bundle", [
        element("p.crumb", place === "given" ? "a bundle on your machine" : all),
        element("h1", idText(benchmark), " ", element("span", version)),
        description === null ? null : element("p.lead", description),
        bundle.yanked === undefined ? null : element("p.warning", why),
        element("nav.tabs", { "aria-label": "This bundle" }, TABS.map(link)),
      ]),
      content({ bundle, route, session }),
    ],
  };
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
