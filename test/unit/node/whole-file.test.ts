import { execFileSync } from "node:child_process";
import { folderSource } from "anchoreval/node";
import { folderStore } from "anchoreval/internal/node/folder";
import { readFound, readNamed } from "anchoreval/internal/node/whole-file";
import { describe, expect, test } from "vitest";
import { expectRefusal, rejection } from "../../support/refusal.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const temporary = tempFolder();

test.each([readNamed, readFound])(
  "%o: a file as long as the bound is read, a longer one refused by name",
  async (read) => {
    const file = temporary.write("ten", "0123456789");
    expect((await read(file, 10)).toString()).toBe("0123456789");
    expectRefusal(await rejection(read(file, 9)), "invalid_data", `${file}: it has`);
    await expect(read(temporary.path("nothing"), 9)).rejects.toMatchObject({ code: "ENOENT" });
  },
);

describe.skipIf(process.platform === "win32")("what is no file (Windows has none of these)", () => {
  test("one that somebody names may be a device; one without an end is given up", async () => {
    expectRefusal(
      await rejection(readNamed("/dev/zero", 1000)),
      "invalid_data",
      "/dev/zero: it has more than 1000 bytes",
    );
    expect((await readNamed("/dev/null", 1000)).length).toBe(0);
  });

  test("a pipe in a folder that nobody writes to isn't waited for", async () => {
    const pipe = temporary.path("manifest.json");
    execFileSync("mkfifo", [pipe]);
    for (const read of [
      () => readFound(pipe, 1000),
      () => folderSource(temporary.path(".")).read("manifest.json"),
      () => folderStore(temporary.path(".")).get("manifest.json"),
    ])
      expectRefusal(await rejection(read()), "unavailable", "isn't a file");
  });
});
