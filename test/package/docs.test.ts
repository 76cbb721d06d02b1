import { wholeManifest } from "anchoreval/internal/core/bundle/decode-manifest";
import { PARTS } from "anchoreval/internal/features/core";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compileFunction } from "node:vm";
import { scaledPrior } from "anchoreval/internal/core/ability/prior";
import * as schemas from "anchoreval/internal/core/bundle/manifest";
import type { Schema } from "anchoreval/internal/core/bundle/schema";
import { ALL_ESTIMATORS } from "anchoreval/internal/core/estimators/types";
import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { describe, expect, test } from "vitest";
import { ROOT, sourceFiles } from "../support/source-imports.js";

interface Example {
  readonly file: string;
  readonly code: string;
  /** What the comment says that it gives; empty where there is none. */
  readonly value: string;
}

/** One-line `@example expr // value` of every docstring in core. */
const examples = sourceFiles("sdk/core").flatMap((file) =>
  [...readFileSync(join(ROOT, file), "utf8").matchAll(/^\s*\* @example (.+)$/gm)].map(([, line]): Example => {
    const [code, value = ""] = line!.split(" // ");
    return { file, code: code!.trim(), value: value.trim() };
  }),
);

const modules = await Promise.all(
  sourceFiles("sdk/core").map(async (file) => (await import(join(ROOT, file))) as Record<string, unknown>),
);

/** Names that examples may use: all that core's files export, four items with a = 1, b = 0, and a standard normal prior. */
const scope: Record<string, unknown> = {
  ...(Object.assign({}, ...modules) as object),
  bank: itemBank(Float64Array.of(1, 1, 1, 1), new Float64Array(4)),
  prior: scaledPrior(Float64Array.of(0), Float64Array.of(1), 1),
};

function run(code: string): unknown {
  const names = Object.keys(scope);
  return (compileFunction(`"use strict"; return (${code});`, names) as (...values: unknown[]) => unknown)(
    ...names.map((name) => scope[name]),
  );
}

/** Checks a value against the words of a comment. @returns false where the words say nothing that can be checked */
function check(actual: unknown, value: string): boolean {
  const about = value.startsWith("≈");
  const text = value.replace(/^≈\s*/, "");
  const digits = /^-?\d+(?:\.(\d+))?/.exec(text);
  const record = /^\{.*\}$/.exec(text);
  if (digits) {
    if (about) expect(actual).toBeCloseTo(Number(digits[0]), digits[1]?.length ?? 0);
    else expect(actual).toBe(Number(digits[0]));
  } else if (record) {
    const fields = [...text.matchAll(/(\w+): (-?[\d.]+)/g)];
    expect(Object.keys(actual as object)).toEqual(fields.map(([, name]) => name));
    for (const [, name, number] of fields)
      expect((actual as Record<string, number>)[name!]).toBeCloseTo(Number(number), number!.split(".")[1]?.length ?? 0);
  } else if (/^(true|false|null)\b/.test(text)) expect(String(actual)).toBe(text);
  else if (text === "negative") expect(actual).toBeLessThan(0);
  else if (text.startsWith('"')) {
    const [head, tail] = text.replaceAll('"', "").split("…");
    expect(String(actual).startsWith(head!)).toBe(true);
    expect(String(actual).endsWith(tail ?? head!)).toBe(true);
  } else return false;
  return true;
}

describe("examples in core's docstrings", () => {
  test.each(examples)("$file: $code // $value", ({ code, value }) => {
    const actual = run(code);
    expect(actual).toBeDefined();
    if (!check(actual, value)) expect(value).not.toMatch(/\d/); // words only, or a figure that nobody checked
  });

  test("are found, and most state what they give", () => {
    expect(examples.length).toBeGreaterThan(15);
    expect(examples.filter(({ value }) => value !== "").length).toBeGreaterThan(12);
  });

  test("would fail where they lie", () => {
    expect(() => check(run("sigmoid(0)"), "0.6")).toThrow();
    expect(() => check(run("softplus(0)"), "≈ 0.693148")).toThrow();
    expect(() => check(run("wilsonInterval(0.5, 100, 1.96)"), "≈ { low: 0.41, high: 0.60 }")).toThrow();
    expect(() => check(run('compareVersions("1.0.0", "1.0.0-rc.1")'), "negative")).toThrow();
    expect(() => check(run('sha256Text("abc")'), '"ba78…0000"')).toThrow();
    expect(() => run("sigmoide(0)")).toThrow("sigmoide");
  });
});

describe("pages under docs/", () => {
  const page = (name: string): string => readFileSync(join(ROOT, "docs", name), "utf8");
  const pages = ["bundle-format.md", "errors.md", "formulas.md", "glossary.md"];

  test("bundle-format.md names every field of the format", () => {
    const text = page("bundle-format.md");
    const names = new Set<string>();
    const walk = (schema: Schema): void => {
      if (schema.kind === "nullable" || schema.kind === "list" || schema.kind === "record") walk(schema.of);
      if (schema.kind !== "object") return;
      for (const [name, field] of Object.entries({ ...schema.of, ...schema.extra })) {
        names.add(name);
        walk(field);
      }
    };
    walk(wholeManifest(PARTS));
    walk(schemas.anchorSchema);
    expect(names.size).toBeGreaterThan(100);
    const ids = new Set<string>(ALL_ESTIMATORS);
    expect([...names].filter((name) => !ids.has(name) && !new RegExp(`[\`"{ ]${name}[\`", ]`).test(text))).toEqual([]);
  });

  test.each([
    ["the manifest's", wholeManifest(PARTS), "## `manifest.json`"],
    ["a scenario's", schemas.scenario, "**A scenario** has"],
    ["a form's", schemas.form, "**A form** is"],
    ["measured errors'", schemas.splitErrors, "`measured` has"],
  ] as const)("bundle-format.md's table of %s fields is the schema's", (_, { of, extra }, heading) => {
    const table = page("bundle-format.md")
      .split(heading)[1]!
      .split("\n## ")[0]!
      .split(/\n\| -+ .*\n/)[1]!
      .split("\n\n")[0]!;
    const listed = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name!);
    expect(listed.sort()).toEqual([...Object.keys(of), ...Object.keys(extra ?? {})].sort());
  });

  test("errors.md lists every code, and no other", () => {
    const source = readFileSync(join(ROOT, "sdk/core/errors.ts"), "utf8");
    const codes = [...source.matchAll(/^ {2}\| "(\w+)"/gm)].map(([, code]) => code!);
    const table = page("errors.md").split("## Issues")[0]!;
    expect(codes.length).toBeGreaterThan(15);
    expect([...table.matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code!)).toEqual(codes);
  });

  test("errors.md lists every code of HTTP alone, and no other", () => {
    const source = readFileSync(join(ROOT, "workers/src/platform/problem.ts"), "utf8");
    const own = source.split("const HTTP_PROBLEMS = {")[1]!.split("\n}")[0]!;
    const codes = [...own.matchAll(/^ {2}(\w+): \[/gm)].map(([, code]) => code!);
    const table = page("errors.md").split("## Over HTTP alone")[1]!.split("\n## ")[0]!;
    expect(codes.length).toBeGreaterThan(10);
    expect([...table.matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code!).sort()).toEqual(codes.sort());
  });

  test("formulas.md names the file of every estimator, and every file that it names is there", () => {
    const text = page("formulas.md");
    for (const id of ALL_ESTIMATORS) expect(text).toContain(`\`${id}\``);
    const named = [...text.matchAll(/`([\w/-]+\.ts)`/g)].map(([, name]) => name!);
    const files = ["sdk", "features", "offline-trainer/src"].flatMap((folder) => sourceFiles(folder));
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((name) => !files.some((file) => file.endsWith(`/${name}`) || file === name))).toEqual([]);
  });

  test.each(pages)("links of %s lead somewhere", (name) => {
    for (const [, target] of page(name).matchAll(/\]\((?!https?:)([^)#]+)/g))
      expect(existsSync(join(ROOT, "docs", target!)), target).toBe(true);
  });
});
