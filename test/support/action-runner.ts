import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { ROOT } from "./source-imports.js";

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string | number>>;
  readonly env?: Readonly<Record<string, string>>;
}
interface Action {
  readonly inputs: Readonly<Record<string, { required?: boolean; default?: string }>>;
  readonly outputs: Readonly<Record<string, { value: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}
interface Workflow {
  readonly on: { readonly schedule: readonly { cron: string }[] };
  readonly jobs: { readonly evaluate: { readonly steps: readonly Step[] } };
}
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
export const action = parse(read("action.yml")) as Action;
export const workflow = parse(read("examples/ci/github-actions.yml")) as Workflow;

export type Outputs = Readonly<Record<string, string>>;
export interface JobResult {
  readonly code: number;
  readonly out: string;
  readonly summary: string;
  /** Of the steps that have an id. */
  readonly outputs: Readonly<Record<string, Outputs>>;
}

/**
 * Carries steps out as GitHub's runner does, in a folder that is workspace and temporary folder at once: `bash -e -o
 * pipefail`, files for outputs and the summary, expressions of the kinds that are there. Of other people's actions the cache
 * finds what lies at its path; the others do nothing.
 */
export class ActionRunner {
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string>>;

  constructor(folder: string, env: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.#env = env;
  }

  /** The action by itself. */
  async action(inputs: Readonly<Record<string, string | number>>): Promise<JobResult> {
    const defaults = Object.entries(action.inputs).map(([name, input]) => [`inputs.${name}`, input.default ?? ""]);
    const values = Object.entries(inputs).map(([name, value]) => [`inputs.${name}`, String(value)]);
    return this.steps(action.runs.steps, Object.fromEntries([...defaults, ...values]) as Outputs);
  }

  /** A job's steps; that of this action is carried out by its own. */
  async steps(steps: readonly Step[], values: Outputs = {}): Promise<JobResult> {
    const summary = join(this.#folder, "summary.md");
    writeFileSync(summary, "");
    const outputs: Record<string, Outputs> = {};
    let [code, out] = [0, ""];
    for (const step of steps) {
      const valueOf = (name: string): string => {
        const [, id, output] = /^steps\.([\w-]+)\.outputs\.([\w-]+)$/.exec(name) ?? [];
        if (id !== undefined) return outputs[id]?.[output!] ?? "";
        const places = { "github.action_path": ROOT, "runner.temp": this.#folder };
        const value = { ...places, ...values }[name];
        if (value === undefined) throw new Error(`no expression ${name}`);
        return value;
      };
      const filled = (text: string): string => text.replace(/\$\{\{ (\S+) \}\}/g, (_, name: string) => valueOf(name));
      if (!holds(step.if ?? "success()", code, valueOf)) continue;
      if (step.uses?.startsWith("OWNER/anchoreval@")) {
        const ran = await this.action(step.with ?? {});
        outputs[step.id!] = Object.fromEntries(Object.entries(action.outputs).map(([name, { value }]) => {
          const [, id, output] = /^\$\{\{ steps\.(\w+)\.outputs\.([\w-]+) \}\}$/.exec(value)!;
          return [name, ran.outputs[id!]?.[output!] ?? ""];
        })); // prettier-ignore
        code ||= ran.code;
        out += ran.out;
      } else if (step.uses?.startsWith("actions/cache@")) {
        outputs[step.id!] = { "cache-hit": String(existsSync(filled(String(step.with!["path"])))) };
      } else if (step.run !== undefined) {
        const env = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, text]) => [name, filled(text)]));
        const ran = await this.#shell(step.run, { ...env, GITHUB_STEP_SUMMARY: summary });
        if (step.id !== undefined) outputs[step.id] = ran.outputs;
        code ||= ran.code;
        out += ran.out;
      }
    }
    return { code, out, summary: readFileSync(summary, "utf8"), outputs };
  }

  #shell(
    text: string,
    more: Readonly<Record<string, string>>,
  ): Promise<{ code: number; out: string; outputs: Outputs }> {
    const file = join(this.#folder, "outputs");
    writeFileSync(file, "");
    const env = { ...process.env, ...this.#env, ...more, GITHUB_OUTPUT: file, RUNNER_TEMP: this.#folder };
    const args = ["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", text];
    return new Promise((resolve) => {
      execFile("bash", args, { cwd: this.#folder, env, maxBuffer: 1e8 }, (error, out, err) => {
        const lines = readFileSync(file, "utf8").split("\n").filter((line) => line !== ""); // prettier-ignore
        const outputs = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2))) as Outputs;
        resolve({ code: Number(error?.code ?? 0), out: out + err, outputs });
      });
    });
  }
}

/** Whether a condition of the kinds that are there holds after steps that ended with `code`. */
function holds(condition: string, code: number, valueOf: (name: string) => string): boolean {
  const states: Readonly<Record<string, boolean>> = {
    "always()": true,
    "failure()": code !== 0,
    "success()": code === 0,
  };
  const parts = condition.split(" && ");
  const isAsked = parts.some((part) => part in states);
  return (isAsked || code === 0) && parts.every((part) => {
    if (part in states) return states[part];
    const [, name, sign, text] = /^(\S+) (==|!=) '(.*)'$/.exec(part)!;
    return (valueOf(name!) === text) === (sign === "==");
  }); // prettier-ignore
}
