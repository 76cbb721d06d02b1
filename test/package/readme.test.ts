import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { compileFunction } from "node:vm";
import ts from "typescript";
import { afterEach, describe, expect, test, vi } from "vitest";
import { runCommand } from "../support/run-command.ts";
import { sampleBundle } from "../support/sample-bundle.ts";
import { ROOT } from "../support/source-imports.js";
import { tempFolder } from "../support/temp-folder.ts";

const folder = tempFolder();
const read = (name: string): string => readFileSync(join(ROOT, name), "utf8");

const markdownIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`);

const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "sdk/README.md",
  "offline-trainer/README.md",
  "bench/README.md",
  "examples/lm-eval/README.md",
  ...markdownIn("docs"),
  "docs/decisions/README.md",
];

/** Code blocks of a page in one language, in order. */
function blocks(page: string, language: string): string[] {
  return [...read(page).matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, own, code]) =>
    own === language ? [code!] : [],
  );
}

/** What the pages' code may name besides what it imports. */
const PRELUDE = "declare function ask(id: string): Promise<number>;\n";

/** Compiles a page's TypeScript with the tests' own settings. @returns what the compiler says, "" where all is well */
function compilerMessages(codes: readonly string[]): string {
  const config = ts.readConfigFile(join(ROOT, "test/tsconfig.json"), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, join(ROOT, "test"));
  const sources = new Map(codes.map((code, k) => [join(ROOT, `test/package/page-${k}.ts`), `${PRELUDE}${code}`]));
  const settings = { ...options, incremental: false };
  const host = ts.createCompilerHost(settings);
  const program = ts.createProgram([...sources.keys()], settings, {
    ...host,
    fileExists: (path) => sources.has(path) || host.fileExists(path),
    readFile: (path) => sources.get(path) ?? host.readFile(path),
    getSourceFile: (path, version) =>
      sources.has(path)
        ? ts.createSourceFile(path, sources.get(path)!, version, true)
        : host.getSourceFile(path, version),
  });
  const found = [...sources.keys()].flatMap((path) => {
    const file = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
  });
  return ts.formatDiagnostics(found, {
    getCanonicalFileName: (path) => path,
    getCurrentDirectory: () => ROOT,
    getNewLine: () => "\n",
  });
}

describe("TypeScript on the pages", () => {
  const code = PAGES.flatMap((page) => blocks(page, "ts"));

  test("compiles", () => {
    expect(code.length).toBeGreaterThan(7);
    expect(compilerMessages(code)).toBe("");
  });

  test("imports nothing internal", () => {
    expect(code.filter((block) => /from "anchoreval[\w-]*\/internal/.test(block))).toEqual([]);
  });

  test("would not if it were wrong", () => {
    expect(compilerMessages(['import { loadBundle } from "anchoreval";\nloadBundle(17);'])).toContain("TS2345");
  });
});

describe("the README's ten lines", () => {
  afterEach(() => void vi.unstubAllGlobals());

  /** Runs a module's text with its imports resolved here. @returns what it printed */
  async function run(code: string, ask: (id: string) => Promise<number>): Promise<string[]> {
    const printed: string[] = [];
    const { outputText } = ts.transpileModule(code, {
      compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
    });
    const body = outputText.replace(/^import (\{.*\}) from ("anchoreval");$/m, "const $1 = await load($2);");
    const names = ["load", "ask", "console"];
    const start = compileFunction(`return (async () => {\n${body}\n})();`, names) as (
      ...values: unknown[]
    ) => Promise<void>;
    await start(() => import("anchoreval"), ask, { log: (line: string) => printed.push(line) });
    return printed;
  }

  test("give a score, an interval and warnings from a bundle at that address", async () => {
    const files = sampleBundle({ benchmark: "demo", items: [80, 120], sizes: [20, 50] });
    const asked: string[] = [];
    vi.stubGlobal("fetch", (url: string, { headers }: { headers: Record<string, string> }) => {
      const name = /^http:\/\/127\.0\.0\.1:8787\/v1\/bundles\/demo\/1\.0\.0\/files\/(.+)$/.exec(url)?.[1];
      const bytes = files.get(name as "manifest.json");
      if (!bytes) return Promise.resolve(new Response("nothing", { status: 404 }));
      const range = /^bytes=(\d+)-(\d+)$/.exec(headers["range"] ?? "");
      return Promise.resolve(
        range
          ? new Response(bytes.slice(Number(range[1]), Number(range[2]) + 1), { status: 206 })
          : new Response(bytes.slice()),
      );
    });
    const [code] = blocks("README.md", "ts");
    expect(code!.trim().split("\n").filter(Boolean).length).toBeLessThanOrEqual(10);
    const lines = await run(code!, (id) => {
      asked.push(id);
      return Promise.resolve(1);
    });
    expect(asked).toHaveLength(100);
    expect(lines[0]).toMatch(/^\d+\.\d, 95 % interval \d+\.\d to \d+\.\d$/);
    expect(lines.slice(1).join("\n")).toContain("stronger than any seen");
  });
});

test("the README's first example runs as it is, and prints what stands below it", async () => {
  const printed: string[] = [];
  const [, example] = blocks("README.md", "sh");
  for (const line of example!.trim().split("\n")) {
    const [, argv] = /^npx anchoreval ([^#]+?) +# /.exec(line)!;
    const words = argv!.split(" ").map((word) => (word === "out" ? folder.path("out") : word));
    const { code, out } = await runCommand(
      ...words.map((word) => (word.startsWith("examples/") ? join(ROOT, word) : word)),
    );
    expect(code).toBe(0);
    printed.push(out);
  }
  const [score] = blocks("README.md", "text");
  expect(printed[1]).toContain(score);
  expect(printed[0]).toContain("/livecodebench-v6-1.0.0-50.livecodebench.py --model MODEL ");
  const answers = read("examples/livecodebench.csv").trim().split("\n").slice(1);
  const ids = readFileSync(folder.path("out/livecodebench-v6-1.0.0-50.livecodebench.py"), "utf8");
  expect(answers.every((line) => ids.includes(JSON.stringify(/\/(.*),/.exec(line)![1])))).toBe(true);
  expect(read("README.md")).toContain(`# made up, ${answers.filter((line) => line.endsWith(",1")).length} solved; `);
});

describe("commands on the pages", () => {
  /** `anchoreval COMMAND …` of every shell block, comments and what follows `;`, `|`, `&&`, `--` cut off. */
  const commands = PAGES.flatMap((page) =>
    [...blocks(page, "sh"), ...blocks(page, "text")].flatMap((block) =>
      block
        .replaceAll("\\\n", " ")
        .split("\n")
        .flatMap((line) => line.replace(/(^|\s)#.*$/, "").split(/\s(?:&&|\||;|&|--)(?=\s|$)/))
        .flatMap((line) => {
          const [, command, rest] = /^\s*(?:npx )?anchoreval (\w+)(.*)$/.exec(line) ?? [];
          return command === undefined
            ? []
            : [{ page, command, options: [...rest!.matchAll(/ (--[a-z-]+)/g)].map(([, option]) => option!) }];
        }),
    ),
  );

  test("are found", () => {
    expect(commands.length).toBeGreaterThan(20);
  });

  test.each([...new Set(commands.map(({ command }) => command))])("%s has the options that are named", async (name) => {
    const { code, out: help } = await runCommand(name, "--help-all");
    expect(code).toBe(0);
    const known = new Set([...help.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option]) => option!));
    const unknown = commands
      .filter(({ command }) => command === name)
      .flatMap(({ page, options }) => options.filter((option) => !known.has(option)).map((option) => [page, option]));
    expect(unknown).toEqual([]);
  });
});

describe("names on the pages", () => {
  test.each(PAGES)("links of %s lead somewhere", (page) => {
    const text = read(page).replace(/<!--[\s\S]*?-->/g, "");
    for (const [, target] of text.matchAll(/\]\((?!https?:|#)([^)#]+)/g))
      expect(existsSync(join(ROOT, dirname(page), target!)), target).toBe(true);
  });

  test("the index of the documentation links every page", () => {
    const index = read("docs/README.md");
    const unlinked = PAGES.filter((page) => /^docs\/[a-z-]+\.md$/.test(page)).filter(
      (page) => !index.includes(`](${page.slice("docs/".length)}`),
    );
    expect(unlinked).toEqual([]);
  });

  test.each([
    ["README.md", "estimateFromAnchors, loadBundle"],
    ["docs/sdk.md", "estimateFromAnchors, loadBundle"],
    ["bench/README.md", "the Worker"],
  ])("the compressed bytes in %s are the scorecard's of %s", (page, what) => {
    const { figures } = JSON.parse(read("bench/scorecard.json")) as { figures: Record<string, number> };
    const [, figure] = /([\d.]+) kB compressed/.exec(read(page))!;
    const decimals = figure!.split(".")[1]?.length ?? 0;
    expect((figures[`bytes: ${what}, gzip`]! / 1000).toFixed(decimals)).toBe(figure);
  });

  test.each([
    ["README.md", 8000],
    ["CONTRIBUTING.md", 7000],
  ])("%s has at most %d bytes", (page, most) => {
    expect(Buffer.byteLength(read(page))).toBeLessThanOrEqual(most);
  });

  test.each([...new Set([...PAGES, ...markdownIn("docs/decisions")])].filter((page) => page !== "CHANGELOG.md"))(
    "every file and folder in %s is there",
    (page) => {
      const named = [...read(page).matchAll(/`((?:sdk|cli|offline-trainer|workers|test|docs|bench)\/[^`\s]*)`/g)]
        .map(([, path]) => path!)
        .filter((path) => !path.includes("NAME"));
      if (page === "CONTRIBUTING.md") expect(named.length).toBeGreaterThan(10);
      expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    },
  );

  test("backtest.md lists the stems of families as they are", () => {
    const source = read("offline-trainer/src/matrix/families.ts");
    const stems = source.split("const STEMS = `")[1]!.split("`")[0]!.trim().split(/\s+/);
    expect(stems.length).toBeGreaterThan(60);
    expect(/^> (.*)$/m.exec(read("docs/backtest.md"))![1]!.split(" ")).toEqual(stems);
  });
});

describe("what is published", () => {
  const description = (folder: string): { version: string; license: string } =>
    JSON.parse(read(join(folder, "package.json"))) as { version: string; license: string };

  test.each(["sdk", "offline-trainer"])("%s has the licence, a README and the project's version", (folder) => {
    expect(read(join(folder, "LICENSE"))).toBe(read("LICENSE"));
    expect(read(join(folder, "README.md"))).toContain("# anchoreval");
    expect(description(folder)).toMatchObject({ version: description(".").version, license: "Apache-2.0" });
  });

  test("the changelog and the citation are of this version", () => {
    const { version } = description(".");
    expect(read("CHANGELOG.md")).toContain(`## [${version}]`);
    expect(read("CITATION.cff")).toContain(`version: ${version}\n`);
  });
});
