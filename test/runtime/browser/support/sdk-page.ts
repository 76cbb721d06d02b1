import {
  estimateFromAnchors,
  loadBundle,
  loadRouting,
  routeFromBundle,
  type Estimate,
  type EstimateRequest,
  type Routes,
  type RoutesRequest,
} from "anchoreval";

/** The SDK in a page, on bundles that it fetches. */
interface SdkPage {
  estimate(bundle: string, request: EstimateRequest): Promise<Estimate>;
  route(bundle: string, request: RoutesRequest): Promise<Routes>;
}

declare global {
  interface Window {
    sdk: SdkPage;
  }
}

const address = (bundle: string): string => new URL(bundle, location.href).href;

window.sdk = {
  estimate: async (bundle, { responses, ...options }) =>
    estimateFromAnchors(await loadBundle(address(bundle)), responses, options),
  route: async (bundle, { questions, ...options }) =>
    routeFromBundle(await loadRouting(address(bundle)), questions, options),
};
