import type { Bundle } from "anchoreval";
import type { Child } from "./dom.ts";
import type { Route } from "./route.ts";
import type { Session } from "./session.ts";

/** A view: its title and content. */
export interface View {
  readonly title: string;
  readonly content: Child;
}

export type BundleRoute = Extract<Route, { readonly view: "bundle" }>;

/** What every tab of a bundle is made from. */
export interface BundlePage {
  readonly bundle: Bundle;
  readonly route: BundleRoute;
  readonly session: Session;
}
