import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readEmbeddings } from "../../../../../features/routing/fit/embeddings-file.ts";
import { writeItems, writeWideCsv } from "../../../../../offline-trainer/src/matrix/write-tables.ts";
import { runProgram } from "../../../../support/run-command.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";
import { WIDTH, writeTinyEncoder } from "../../../../support/tiny-encoder.ts";
import { topicBoard } from "../../../../support/topic-board.ts";

const folder = tempFolder();
const board = topicBoard(150, 2.5, 3);
const items = folder.path("items.jsonl");
await writeItems(items, board.items);
const encoder = writeTinyEncoder(folder.path("encoder"));

describe("anchoreval embed", () => {
  test("writes vectors by an encoder, says by which, and the same bytes again", async () => {
    const [one, other] = [folder.path("one.jsonl"), folder.path("other.jsonl")];
    for (const [out, threads] of [
      [one, "1"],
      [other, "2"],
    ] as const) {
      const { code, out: text } = await runProgram([
        "embed",
        "--items",
        items,
        "--encoder",
        encoder,
        "--threads",
        threads,
        "--out",
        out,
        "--json",
      ]);
      expect(code).toBe(0);
      expect(JSON.parse(text)).toMatchObject({
        items: 150,
        width: WIDTH,
        encoder: { pooling: "mean", maxTokens: 9, cut: 150 },
      });
    }
    expect(readFileSync(other)).toEqual(readFileSync(one));
    expect((await readEmbeddings(one)).vectors.size).toBe(150);
  });

  test("by TF-IDF where there is no encoder, and route takes what it wrote", async () => {
    const out = folder.path("terms.jsonl.gz");
    const run = await runProgram(["embed", "--items", items, "--dims", "10", "--out", out]);
    expect(run).toMatchObject({ code: 0, out: `150 texts, 10 numbers each: ${out}\n` });
    const responses = folder.path("responses.csv");
    await writeWideCsv(responses, board);
    const route = [
      "route",
      "--responses",
      responses,
      "--items",
      items,
      "--train",
      "train",
      "--test",
      "test",
      "--provider",
      "typescript",
    ];
    const routed = await runProgram([...route, "--embeddings", out, "--json", "--quiet"]);
    expect(JSON.parse(routed.out)).toMatchObject({ header: { features: "embeddings" } });
  });

  test("stopped by Ctrl-C it goes on from what is kept, to the same bytes", async () => {
    const [out, whole] = [folder.path("on-the-way.jsonl"), folder.path("whole.jsonl")];
    const embed = (file: string, ...more: string[]) =>
      ["embed", "--items", items, "--encoder", encoder, "--out", file].concat(more);
    const stopped = await runProgram(
      embed(out),
      (text, interrupt) => {
        if (/ [1-9]\d* of 150 texts/.test(text)) interrupt();
      },
      true,
    );
    const kept = /(\d+) texts are kept in (.*\.partial), and the same command goes on from there/.exec(stopped.err);
    expect(stopped.code).toBe(1);
    expect(Number(kept?.[1])).toBeGreaterThan(0);
    expect(kept?.[2]).toBe(`${out}.partial`);
    expect(existsSync(out)).toBe(false);
    writeFileSync(folder.path("other.jsonl.partial"), readFileSync(`${out}.partial`));

    const resumed = await runProgram(embed(out));
    expect(resumed.err).toContain(`continuing from ${kept?.[1]} texts in ${out}.partial`);
    expect(await runProgram(embed(whole))).toMatchObject({ code: 0 });
    expect(readFileSync(out)).toEqual(readFileSync(whole));
    expect(existsSync(`${out}.partial`)).toBe(false);

    const other = folder.path("other.jsonl");
    const changed = await runProgram(embed(other, "--prefix", "prime "));
    expect(changed.err).toContain(
      `${other}.partial belongs to other texts or another encoder: all texts are encoded anew`,
    );
    expect(readFileSync(other)).not.toEqual(readFileSync(whole));
    expect(existsSync(`${other}.partial`)).toBe(false);
  });

  test.each([
    ["another ending", [], "x.txt", "--out must be a file that ends in .jsonl, .csv"],
    [
      "an encoder's option without one",
      ["--pooling", "cls"],
      "x.jsonl",
      "--pooling needs --encoder, which isn't given",
    ],
    ["TF-IDF's option with an encoder", ["--dims", "3", "--encoder", encoder], "x.jsonl", "--dims is for TF-IDF"],
    ["another pooling", ["--pooling", "max", "--encoder", encoder], "x.jsonl", "--pooling"],
    ["no such encoder", ["--encoder", join(encoder, "none")], "x.jsonl", "there is no encoder"],
  ])("refuses %s with exit code 2", async (_, more, out, message) => {
    const { code, err } = await runProgram(["embed", "--items", items, ...more, "--out", folder.path(out)]);
    expect(err).toContain(message);
    expect(code).toBe(2);
    expect(existsSync(folder.path(out))).toBe(false);
  });

  test("names items without a text", async () => {
    const bare = folder.path("bare.jsonl");
    writeFileSync(bare, '{"item_id":"a","scenario":"s"}\n{"item_id":"b","scenario":"s","text":"b"}\n');
    const { code, err } = await runProgram(["embed", "--items", bare, "--out", folder.path("vectors.jsonl")]);
    expect({ code, err }).toMatchObject({
      code: 2,
      err: expect.stringContaining('1 question has no text: "a"') as string,
    });
  });
});
