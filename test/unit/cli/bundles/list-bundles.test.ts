import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findListed } from "../../../../cli/src/bundles/list-bundles.ts";
import { loggedContent, writeBundle } from "../../../support/logged-bundle.ts";
import { runCommand } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
const { signal } = new AbortController();
let server: Server;
let address: string;

beforeAll(async () => {
  const bundle = writeBundle(folder.path("bundle"), loggedContent());
  server = createServer(({ url }, response) => {
    readFile(`${bundle}${url!}`).then(
      (bytes) => response.end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

test("without a place, what comes along is listed", async () => {
  const names = (await findListed(undefined, signal))!.map(({ name }) => name);
  expect(names).toContain("gsm8k@1.0.0");
  const { out } = await runCommand("show");
  for (const name of names) expect(out).toContain(name);
});

test("the place of one bundle lists none", async () => {
  for (const place of [folder.path("bundle"), "gsm8k", "ftp://x", "https://evals.example.com/v1/bundles/quiz"])
    expect(await findListed(place, signal)).toBeNull();
});

test("a bundle at the root of a static host is shown", async () => {
  expect(await runCommand("show", address)).toMatchObject({
    code: 0,
    out: expect.stringContaining("parameters.safetensors") as string,
  });
  expect((await runCommand("show", `${address}/v1/bundles`)).code).toBe(2);
});
