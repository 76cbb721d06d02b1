import { element, idText, type Child, paragraph } from "../dom.ts";
import { benchmarkHref, bundleHref, TABS, type Tab } from "../route.ts";
import type { BundlePage, BundleRoute, Session, View } from "../session.ts";
import { aboutTab } from "./about.ts";
import { compareTab } from "./compare.ts";
import { itemsTab } from "./items.ts";
import { scoreTab } from "./score.ts";

const NAMES: Readonly<Record<Tab, string>> = {
  about: "Accuracy",
  items: "Items",
  score: "Score a model",
  compare: "Compare two",
};

const CONTENTS: Readonly<Record<Tab, (page: BundlePage) => Child>> = {
  about: aboutTab,
  items: itemsTab,
  score: scoreTab,
  compare: compareTab,
};

/** A bundle: its name, its tabs, and the chosen one. */
export async function bundleView(session: Session, route: BundleRoute): Promise<View> {
  const { place, tab } = route;
  const [bundle, yanked] = await Promise.all([session.bundle(place), yankedReason(session, route)]);
  const { benchmark, version, description } = bundle.manifest;
  return {
    title: `${benchmark} ${version}: ${NAMES[tab]}`,
    content: [
      element(
        "div",
        { class: "bundle" },
        place === "given"
          ? paragraph("crumb", "a bundle on your machine")
          : paragraph("crumb", element("a", { href: benchmarkHref(benchmark) }, "all versions")),
        element("h1", {}, idText(benchmark), " ", element("span", {}, version)),
        description === null ? null : paragraph("lead", description),
        yanked === null
          ? null
          : paragraph(
              "warning",
              element("strong", {}, "This version was yanked by its publisher"),
              yanked === "" ? "." : `: ${yanked}`,
            ),
        element(
          "nav",
          { class: "tabs", "aria-label": "This bundle" },
          TABS.map((name) =>
            element(
              "a",
              { href: bundleHref(place, name, route.form), "aria-current": name === tab ? "page" : null },
              NAMES[name],
            ),
          ),
        ),
      ),
      CONTENTS[tab]({ bundle, route, session }),
    ],
  };
}

/** Why a version was yanked; null if it wasn't, or if the Worker doesn't answer. */
async function yankedReason(session: Session, { place }: BundleRoute): Promise<string | null> {
  if (place === "given" || place.version === "latest") return null;
  const summary = await session.client.bundles.benchmark(place.benchmark).catch(() => null);
  const found = summary?.yanked.find(({ version }) => version === place.version);
  return found ? (found.reason ?? "") : null;
}
