import { expect, afterAll, describe, test } from "vitest";
import { goldenEstimates, goldenRoutes } from "../../support/golden-estimates.ts";
import { routingBundle } from "../../support/routing-bundle.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { expectSameNumbers } from "../../support/same-numbers.ts";
import { NO_BROWSER } from "./support/open-browser.ts";
import { openPage } from "./support/open-page.ts";

const [estimates, routes] = await Promise.all([goldenEstimates(), goldenRoutes()]);

/** Every bundle's files under a path of its own. */
const files = new Map<string, Uint8Array>();
estimates.forEach(({ bundle }, k) => {
  for (const [name, bytes] of sampleBundle(bundle)) files.set(`/estimates-${k}/${name}`, bytes);
});
for (const [k, features] of (["tf-idf", "embeddings"] as const).entries())
  for (const [name, bytes] of routingBundle(features, { benchmark: routes[k]!.benchmark }))
    files.set(`/routes-${k}/${name}`, bytes);

const opened = NO_BROWSER === null ? await openPage("sdk-page.ts", "sdk", files) : null;
if (opened) afterAll(() => opened.close());

describe.skipIf(NO_BROWSER !== null)(
  `Chromium gives the numbers of the SDK in Node${NO_BROWSER === null ? "" : ` (${NO_BROWSER})`}`,
  () => {
    test.each(estimates.map((golden, k) => ({ ...golden, path: `/estimates-${k}/` })))(
      "an estimate: $name",
      async ({ path, request, estimate }) => {
        const ours = await opened!.page.evaluate(([bundle, body]) => window.sdk.estimate(bundle, body), [
          path,
          request,
        ] as const);
        expectSameNumbers(ours, JSON.parse(JSON.stringify(estimate)), 1e-9);
      },
    );

    test.each(routes.map((golden, k) => ({ ...golden, path: `/routes-${k}/` })))(
      "routes: $benchmark",
      async ({ path, request, routes: expected }) => {
        const ours = await opened!.page.evaluate(([bundle, body]) => window.sdk.route(bundle, body), [
          path,
          request,
        ] as const);
        expectSameNumbers(ours, JSON.parse(JSON.stringify(expected)), 1e-9);
        expect(ours.routes.length).toBeGreaterThan(1);
      },
    );
  },
);
