import { mkdirSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { whyNotWritable } from "../../../offline-trainer/src/publish/bundle-folder.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();

test("a folder that is there, and one that isn't yet, however deep; nothing is left behind", async () => {
  mkdirSync(folder.path("there"));
  for (const path of ["there", "there/a", "there/a/b/c", "new"])
    expect(await whyNotWritable(folder.path(path))).toBeNull();
  expect(readdirSync(folder.path(""))).toEqual(["there"]);
  expect(readdirSync(folder.path("there"))).toEqual([]);
});

test("a file, or what lies below one", async () => {
  const file = folder.write("file", "");
  for (const path of [file, `${file}/a`, `${file}/a/b`]) expect(await whyNotWritable(path)).toBe(`${file} is a file`);
});

test.skipIf(process.platform !== "linux")(
  "a place where nobody can write, whoever it is: /proc has no folders of ours",
  async () => {
    for (const path of ["/proc", "/proc/a/b"])
      expect(await whyNotWritable(path)).toMatch(/^\/proc can't be written to \(E/);
  },
);
