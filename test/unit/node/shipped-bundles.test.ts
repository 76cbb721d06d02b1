import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { loadBundle as loadAnywhere } from "anchoreval";
import { placedFolder, placedSource, shippedBundles } from "anchoreval/internal/node/shipped-bundles";
import { loadBundle } from "anchoreval/node";
import { expect, it, test } from "vitest";
import { ROOT } from "../../support/source-imports.js";
import { expectRefusal, refusal, rejection } from "../../support/refusal.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const GOLDEN = join(ROOT, "test/fixtures/golden-bundle/bundle");
const [first] = shippedBundles();

test("the checkout's bundles come with the build", () => {
  expect(shippedBundles().map(({ benchmark }) => benchmark)).toContain("gsm8k");
});

it.each(["gsm8k", "gsm8k@1.0.0"])("loads %s by its name", async (name) => {
  const { manifest, digest } = await loadBundle(name);
  expect(manifest.benchmark).toBe("gsm8k");
  const folder = shippedBundles().find(({ benchmark }) => benchmark === "gsm8k")!.folder;
  expect(digest).toBe((await loadBundle(folder)).digest);
});

it("loads a folder, its file: URL and a source as well", async () => {
  const digests = await Promise.all(
    [GOLDEN, pathToFileURL(GOLDEN).href, pathToFileURL(GOLDEN), placedSource(GOLDEN)].map(
      async (place) => (await loadBundle(place)).digest,
    ),
  );
  expect(new Set(digests).size).toBe(1);
});

test("a folder that has a bundle wins over a name; one that has none doesn't", async () => {
  const before = process.cwd();
  const place = folder.path("place");
  mkdirSync(join(place, "gsm8k"), { recursive: true });
  try {
    process.chdir(place);
    expect(placedFolder("gsm8k")).not.toBe("gsm8k");
    cpSync(GOLDEN, join(place, "gsm8k"), { recursive: true });
    expect((await loadBundle("gsm8k")).manifest.benchmark).toBe("golden");
    expect(placedFolder("gsm8k@1.0.0")).not.toBe("gsm8k@1.0.0");
    expect((await loadBundle("./gsm8k")).manifest.benchmark).toBe("golden");
  } finally {
    process.chdir(before);
  }
});

it("names the bundles that there are where it has none of a name, and versions where it has other ones", async () => {
  const listed = shippedBundles().map(({ benchmark, version }) => `${benchmark}@${version}`);
  expectRefusal(await rejection(loadBundle("gsm9k")), "not_found", listed.join(", "));
  const other = await rejection(loadBundle(`${first!.benchmark}@9.9.9`));
  expectRefusal(other, "not_found", `which has ${first!.benchmark}@${first!.version}`);
  expect(other.message).not.toContain(shippedBundles().at(-1)!.benchmark);
  expectRefusal(await rejection(loadBundle("./gsm9k")), "not_found", "./gsm9k");
});

it("refuses other addresses, and leaves http to its caller", () => {
  expectRefusal(
    refusal(() => placedSource("r2://bucket/gsm8k")),
    "invalid_option",
    "from a folder or over http(s)",
  );
  const asked: string[] = [];
  placedSource("https://evals.example.com/gsm8k", (url) => {
    asked.push(url.href);
    return placedSource(GOLDEN);
  });
  expect(asked).toEqual(["https://evals.example.com/gsm8k"]);
});

test("loadBundle of the portable SDK knows no names: a browser has none", async () => {
  expectRefusal(await rejection(loadAnywhere("gsm8k")), "invalid_option", "not a URL");
});
