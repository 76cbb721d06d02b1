import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { COMMANDS } from "../../cli/src/commands.ts";
import { loggedContent, writeBundle } from "../support/logged-bundle.ts";
import { ROOT } from "../support/source-imports.js";
import { tempFolder } from "../support/temp-folder.ts";
import { WHOLE } from "../support/whole.ts";

// The exit code of every command in a shell, whatever becomes of its streams. `npm test` tries a gate that fails under all
// conditions, and every second call under one of them, in turn; ATTACK_SECONDS=60 tries all.

const folder = tempFolder();
const BIN = join(ROOT, "sdk/bin/anchoreval.js");
const ALL = WHOLE || process.env["ATTACK_SECONDS"] !== undefined;

const bundle = writeBundle(folder.path("bundle"), loggedContent());
const answersOf = (score: (k: number) => number): Record<string, number> =>
  Object.fromEntries(
    loggedContent().scenarios.flatMap(({ anchors }) =>
      anchors.filter(({ forms }) => forms.includes("20")).map(({ item_id: id }, k) => [id, score(k)]),
    ),
  );
const [zero, one] = [0, 1].map((score) => folder.write(`${score}.json`, JSON.stringify(answersOf(() => score)))) as [string, string]; // prettier-ignore
const half = folder.write("half.json", JSON.stringify(answersOf((k) => k % 2)));
const broken = folder.write("broken.json", "{");
const table = folder.write(
  "table.csv",
  ["model,item_id,score", ...Array.from({ length: 60 }, (_, k) => `m${k % 6},i${Math.floor(k / 6)},${k % 2}`)].join(
    "\n",
  ),
);
const items = folder.write("items.csv", ["item_id,scenario,text", ...Array.from({ length: 20 }, (_, k) => `i${k},s,question ${k}`)].join("\n")); // prettier-ignore
const out = (name: string): string => folder.path(name);
const check = ["check", "--bundle", bundle, "--form", "20", "--responses"];

/** What is called, and its exit code: a result where that takes no second, else a refusal. */
const CALLS: readonly (readonly [argv: readonly string[], code: number])[] = [
  [[...check, one, "--baseline", zero], 0],
  [[...check, zero, "--baseline", one], 3],
  [[...check, half, "--baseline", half], 4],
  [[...check, broken, "--baseline", one], 2],
  [[...check, zero, "--min-score", "50", "--json"], 3],
  [[...check, one, "--baseline", zero, "--summary", "/dev/full"], 1],
  [["run", "--bundle", bundle, "--form", "20", "--", "nowhere"], 2],
  [["estimate", "--bundle", bundle, one], 0],
  [["compare", "--bundle", bundle, one, zero], 0],
  [["plan", bundle], 0],
  [["export", "--bundle", bundle, "--to", "ids", "--form", "20", "--out", out("exported")], 0],
  [["show", "--columns"], 2],
  [["show", bundle], 0],
  [["bundles", "make"], 0],
  [["import", table, "--from", "table", "--out", out("imported"), "--force"], 0],
  [["fit", "--responses", table, "--name", "q"], 2],
  [["reproduce", bundle, "--responses", table], 2],
  [["backtest", "--responses", broken], 2],
  [["replay", "--responses", broken], 2],
  [["simulate", "--models", "8", "--items", "20", "--scenarios", "1", "--out", out("simulated"), "--force"], 0],
  [["demo", "x"], 2],
  [["audit", "--responses", table, "--top", "x"], 2],
  [["diff", bundle, items], 2],
  [["forms", "--items", items, "--size", "4", "--out", out("forms"), "--force"], 0],
  [["embed", "--items", items, "--out", out("vectors.csv"), "--force"], 0],
  [["route", "--bundle", bundle], 2],
  [["publish", bundle, "--to", out("public")], 0],
  [["publish", "sweep", "--to", out("public")], 0],
  [["publish", "yank", out("public/bundles/nowhere/1.0.0"), "--reason", "wrong"], 2],
  [["verify", out("public/nowhere")], 2],
  [["serve", "--port", "x"], 2],
  [["keys", "token", "--id", "ci", "--scope", "read:*"], 0],
  [["keys", "make", "--out", out("key.pem")], 2],
  [["keys", "sign", bundle, "--key", broken], 2],
  [["keys", "root", out("none.json")], 2],
  [["completion", "bash"], 0],
];

/** Streams of a command `"$@"`, in bash; each prints its exit code. What it says goes to the file $err where it can say it. */
const CONDITIONS: Readonly<Record<string, string>> = {
  "behind a pipe nobody reads": '"$@" 2>"$err" | true; echo "${PIPESTATUS[0]}"',
  "behind a reader of one line": '"$@" 2>"$err" | head -n 1 >/dev/null; echo "${PIPESTATUS[0]}"',
  "before a filter that finds": '"$@" 2>"$err" | grep -q . ; echo "${PIPESTATUS[0]}"',
  "with pipefail": '(set -o pipefail; "$@" 2>"$err" | cat >/dev/null; echo $?)',
  "with errors to nobody": 'exec 3>&1; { "$@" 2>&1 >/dev/null 3>&-; echo $? >&3; } | true',
  "with output to a full disk": '"$@" >/dev/full 2>"$err"; echo $?',
  "with errors to a full disk": '"$@" >/dev/null 2>/dev/full; echo $?',
  "without input": '"$@" <&- >/dev/null 2>"$err"; echo $?',
  "without output": '"$@" >&- 2>"$err"; echo $?',
  "without errors": '"$@" 2>&- >/dev/null; echo $?',
  "in no time limit's reach": 'timeout 60 "$@" >/dev/null 2>"$err"; echo $?',
};
const NAMES = Object.keys(CONDITIONS);
const SAYING = NAMES.filter((name) => CONDITIONS[name]!.includes("$err"));
const FULL = "with output to a full disk";

/** Conditions that a call is tried under: the gate that fails under all, every third one under any of them, in turn. */
function conditionsFor(k: number): readonly string[] {
  if (ALL || k === 1) return NAMES;
  return k % 3 === 0 ? [NAMES[(k / 3) % NAMES.length]!] : [SAYING[k % SAYING.length]!];
}

/** Runs a command in bash. @returns what the script prints */
async function shell(script: string, argv: readonly string[], err = ""): Promise<string> {
  const child = spawn("bash", ["-c", script, "bash", process.execPath, BIN, ...argv], { env: { ...process.env, err } });
  let [said, errors] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  await once(child, "close");
  return said + errors;
}

const isLinux = existsSync("/dev/full");
describe.skipIf(!isLinux)("exit codes (needs /dev/full)", () => {
  beforeAll(() => {
    mkdirSync(folder.path("public"), { recursive: true });
    folder.write("key.pem", "a key");
  });

  test("the table has every command", () => {
    expect([...new Set(CALLS.map(([[name]]) => name))].sort()).toEqual(COMMANDS.map(({ name }) => name).sort());
    expect(Object.keys(CONDITIONS).length).toBeGreaterThanOrEqual(8);
  });

  test.each(
    CALLS.map(
      ([argv, code], k) => [argv.map((word) => word.replace(/^\/.*\//, "")).join(" "), argv, code, k] as const,
    ).filter(([, , , k]) => ALL || k % 2 === 1),
  )("%s", async (_, argv, code, k) => {
    const said = out(`${k}.err`);
    const conditions = conditionsFor(k);
    const codes: Record<string, number> = {};
    const expected: Record<string, number> = {};
    const expectNoDefect = (): void => expect(readFileSync(said, "utf8")).not.toMatch(/defect|\n\s+at /);
    // Alone only where no condition tells the same: what it says, and whether it prints a result that a full disk loses.
    let prints = false;
    if (!SAYING.includes(conditions[0]!) || (conditions.includes(FULL) && code === 0)) {
      codes["alone"] = Number(await shell(`"$@" >${out(`${k}.out`)} 2>"$err"; echo $?`, argv, said));
      expected["alone"] = code;
      prints = readFileSync(out(`${k}.out`)).length > 0;
      expectNoDefect();
    }
    for (const condition of conditions) {
      codes[condition] = Number(await shell(CONDITIONS[condition]!, argv, said));
      expected[condition] = condition === FULL && prints && code === 0 ? 1 : code;
      if (SAYING.includes(condition)) expectNoDefect();
    }
    expect(codes).toEqual(expected);
  });

  test("output that is lost is said, whatever the verdict", async () => {
    for (const responses of [one, zero]) {
      const said = await shell('"$@" 2>&1 >/dev/full', [...check, responses, "--baseline", half]);
      expect(said).toBe(
        "anchoreval: standard output could not be written: no space is left on the disk (ENOSPC) [unavailable]\n",
      );
    }
  });

  test("a gate behind grep -q has its verdict's code each time", async () => {
    const script = '"$@" 2>/dev/null | grep -q regressed; echo "${PIPESTATUS[@]}"';
    for (let k = 0; k < (ALL ? 20 : 2); k++)
      expect(await shell(script, [...check, zero, "--baseline", one])).toBe("3 0\n");
  });

  test("a gate that waits for its answers ends with the time limit's code, or the signal's", async () => {
    const waiting = [...check, "-", "--baseline", one];
    const limited = 'exec 3< <(exec sleep 60 2>/dev/null); timeout 1 "$@" <&3 >/dev/null 2>&1; echo $?; kill $!';
    expect(await shell(limited, waiting)).toBe("124\n");
    const child = spawn(process.execPath, [BIN, ...waiting], { stdio: ["pipe", "ignore", "ignore"] });
    setTimeout(() => child.kill("SIGTERM"), 500);
    expect(await once(child, "close")).toEqual([null, "SIGTERM"]);
  });
});
