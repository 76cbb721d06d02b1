import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loggedContent, writeBundle } from "../../../support/logged-bundle.ts";
import { routingBundle } from "../../../support/routing-bundle.ts";
import { runCommand } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();

describe("show", () => {
  const bundle = writeBundle(folder.path("bundle"), loggedContent({ shots: 5 }));

  it("tells what a bundle holds, in plain words", async () => {
    const { code, out } = await runCommand("show", bundle);
    expect(code).toBe(0);
    expect(out).toMatch(/^sample 1\.0\.0\n/);
    expect(out).toMatch(/\nsource models +50\nitems +100\nweighting +each subscenario counts the same\n/);
    expect(out).toMatch(/\nprotocol +shots 5\n/);
    expect(out).toMatch(/\n20 \(default\) +40 +random +p-irt-dr\n/);
    expect(out).toMatch(/ alpha +8 +5\.0 +\d+\.\d +7\.0 +5\.0 +95\.0 % +13\.0\n/);
    expect(out).toContain("Errors in points, measured on 60 held-out models");
    expect(out.match(/\d {2}ok$/gm)).toHaveLength(3);
  });

  it("tells of items without answers, and of routes", async () => {
    const path = folder.path("routing");
    mkdirSync(path);
    for (const [name, bytes] of routingBundle()) writeFileSync(join(path, name), bytes);
    const { out } = await runCommand("show", path);
    expect(out).toMatch(/\ncold start +1 item without answers, predicted from their texts\n/);
    expect(out).toMatch(
      /\nroutes +alpha: \d+ questions; left out, the route is right in \d+\.\d %, the single model in \d+\.\d %\n/,
    );
    expect(out.match(/\d {2}ok$/gm)!.length).toBeGreaterThanOrEqual(5);
  });

  it("gives the manifest and the checks as JSON", async () => {
    const { out } = await runCommand("show", bundle, "--json");
    const shown = JSON.parse(out) as { digest: string; files: { state: string }[]; manifest: { benchmark: string } };
    expect(shown.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(shown.manifest.benchmark).toBe("sample");
    expect(shown.files.map(({ state }) => state)).toEqual(["ok", "ok", "ok"]);
  });

  it("names a flipped byte and a missing file, exit code 2", async () => {
    const broken = writeBundle(folder.path("broken"), loggedContent());
    const file = join(broken, "parameters.safetensors");
    const bytes = readFileSync(file);
    bytes[bytes.length - 1]! ^= 1;
    writeFileSync(file, bytes);
    rmSync(join(broken, "items.jsonl"));
    const { code, out, err } = await runCommand("show", broken);
    expect(code).toBe(2);
    expect(out).toContain("DAMAGED");
    expect(err).toContain("parameters.safetensors is damaged, items.jsonl is missing");
    const json = await runCommand("show", broken, "--json");
    expect(JSON.parse(json.out)).toMatchObject({ error: { code: "bundle_corrupt", issues: [{}, {}] } });
  });

  it("says where no bundle is, and what it takes", async () => {
    expect((await runCommand("show", folder.path("none"))).err).toContain("no bundle is there [not_found]");
    expect((await runCommand("show", "s3://bucket/x")).err).toContain("over http(s)");
  });
});
