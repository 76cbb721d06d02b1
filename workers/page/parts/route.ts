export const TABS = ["about", "items", "score", "compare"] as const;
export type Tab = (typeof TABS)[number];

/** Where a bundle comes from: published on this Worker, or opened from the reader's machine (`given`). */
export type BundlePlace = { readonly benchmark: string; readonly version: string } | "given";

/** A place on the page, encoded in the part of the URL after `#`. */
export type Route =
  | { readonly view: "home" }
  | { readonly view: "fit" }
  | { readonly view: "benchmark"; readonly benchmark: string }
  | {
      readonly view: "bundle";
      readonly place: BundlePlace;
      readonly tab: Tab;
      readonly form: string | null;
      readonly result: string | null;
    }
  | { readonly view: "unknown" };

/**
 * Parses the part of a URL after `#`: `/`, `/fit`, `/b/{benchmark}`, `/b/{benchmark}/{version}[/{tab}][?form=ID]`,
 * `/given[/{tab}]`. `?result=` carries a score to show ({@link parseSharedScore}).
 */
export function parseRoute(hash: string): Route {
  const [path, query] = hash.replace(/^#/, "").split("?", 2) as [string, string | undefined];
  let parts: string[];
  try {
    parts = path
      .split("/")
      .filter((part) => part !== "")
      .map(decodeURIComponent);
  } catch {
    return { view: "unknown" };
  }
  const [first, second, third, fourth, ...rest] = parts;
  if (rest.length > 0) return { view: "unknown" };
  if (first === undefined) return { view: "home" };
  if (first === "fit" && second === undefined) return { view: "fit" };
  const asked = new URLSearchParams(query ?? "");
  if (first === "given" && third === undefined) return bundleRoute("given", second, asked);
  if (first === "b" && second !== undefined) {
    if (third === undefined) return { view: "benchmark", benchmark: second };
    return bundleRoute({ benchmark: second, version: third }, fourth, asked);
  }
  return { view: "unknown" };
}

function bundleRoute(place: BundlePlace, tab: string | undefined, asked: URLSearchParams): Route {
  const shown = tab === undefined ? "about" : TABS.find((name) => name === tab);
  if (shown === undefined) return { view: "unknown" };
  return { view: "bundle", place, tab: shown, form: asked.get("form"), result: asked.get("result") };
}

export function bundleHref(
  place: BundlePlace,
  tab: Tab = "about",
  form: string | null = null,
  result: string | null = null,
): string {
  const root =
    place === "given" ? "#/given" : `#/b/${encodeURIComponent(place.benchmark)}/${encodeURIComponent(place.version)}`;
  const asked = Object.entries({ form, result }).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return `${root}${tab === "about" ? "" : `/${tab}`}${asked.length === 0 ? "" : `?${asked.join("&")}`}`;
}

export function benchmarkHref(benchmark: string): string {
  return `#/b/${encodeURIComponent(benchmark)}`;
}
