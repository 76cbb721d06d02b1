import { type Child, element, idText } from "../parts/dom.ts";
import { benchmarkHref, bundleHref, TABS, type Tab } from "../parts/route.ts";
import type { BundlePage, BundleRoute, Session, View } from "../parts/session.ts";
import { aboutTab } from "./about.ts";
import { compareTab } from "./compare.ts";
import { itemsTab } from "./items.ts";
import { scoreTab } from "./score.ts";

const CONTENTS: Readonly<Record<Tab, readonly [name: string, content: (page: BundlePage) => Child]>> = {
  about: ["Accuracy", aboutTab],
  items: ["Items", itemsTab],
  score: ["Score a model", scoreTab],
  compare: ["Compare two", compareTab],
};

/** A bundle: its name, its tabs, and the chosen one. */
export async function bundleView(session: Session, route: BundleRoute): Promise<View> {
  const { place, tab, form } = route;
  const [bundle, yanked] = await Promise.all([session.bundle(place), yankedReason(session, route)]);
  const { benchmark, version, description } = bundle.manifest;
  const [name, content] = CONTENTS[tab];
  const all = element("a", { href: benchmarkHref(benchmark) }, "all versions");
  const why = [element("strong", "This version was yanked by its publisher"), yanked ? `: ${yanked}` : "."];
  const link = (to: Tab): Child =>
    element("a", { href: bundleHref(place, to, form), "aria-current": to === tab ? "page" : null }, CONTENTS[to][0]);
  return {
    title: `${benchmark} ${version}: ${name}`,
    content: [
      element("div.bundle", [
        element("p.crumb", place === "given" ? "a bundle on your machine" : all),
        element("h1", idText(benchmark), " ", element("span", version)),
        description === null ? null : element("p.lead", description),
        yanked === null ? null : element("p.warning", why),
        element("nav.tabs", { "aria-label": "This bundle" }, TABS.map(link)),
      ]),
      content({ bundle, route, session }),
    ],
  };
}

/** Why a version was yanked; null if it wasn't, or if the Worker doesn't answer. */
async function yankedReason(session: Session, { place }: BundleRoute): Promise<string | null> {
  if (place === "given" || place.version === "latest") return null;
  const summary = await session.client.bundles.benchmark(place.benchmark).catch(() => null);
  const yanked = summary?.yanked.find(({ version }) => version === place.version);
  return yanked ? (yanked.reason ?? "") : null;
}
