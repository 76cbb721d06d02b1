import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { replicateGroups } from "./alike/replicates.ts";
import type { ResponseMatrix } from "./response-matrix.ts";

/** With fewer families, an error on models of an unseen maker can't be distinguished from chance. */
export const LEAST_FAMILIES = 8;

/** Stems of model names that are families; the longest that matches wins. Documented in docs/backtest.md. */
const STEMS = `
  alpaca aya baichuan bloom bloomz c4ai chatglm claude codellama cohere command dbrx deepseek dolly dolphin exaone
  falcon flan gemini gemma glm gpt-2 gpt-3 gpt-4 gpt-5 gpt-j gpt-neo gpt-neox granite grok hermes internlm jamba
  jurassic kimi llama luminous magistral mamba minicpm minimax ministral mistral mixtral mpt nemotron nova o1 o3 o4
  olmo openchat opt orca palm palmyra phi pythia qwen qwq redpajama rwkv smollm solar stablelm starcoder starling t5
  tulu vicuna wizardlm xgen yi zephyr
`
  .trim()
  .split(/\s+/);

/** Stems that are one family under two names. */
const SAME: Readonly<Record<string, string>> = {
  bloomz: "bloom",
  c4ai: "command",
  cohere: "command",
  codellama: "llama",
  glm: "chatglm",
  mixtral: "mistral",
  ministral: "mistral",
  magistral: "mistral",
  qwq: "qwen",
  "gpt-neox": "gpt-neo",
  o1: "gpt-4",
  o3: "gpt-4",
  o4: "gpt-4",
};

/**
 * Family of a model by its name: the stem that a word of its last path segment begins with; an unknown one is a family
 * of its own. A suffix after @ (a revision or a host) is not part of the name.
 * @example familyOf("meta-llama/Llama-3-8B-Instruct") // "llama"
 */
export function familyOf(name: string): string {
  const segment = name.toLowerCase().split("/").filter(Boolean).at(-1) ?? name;
  const text = (segment.split("@")[0] || segment).replace(/[_\s]/g, "-");
  let best = "";
  for (const stem of STEMS) {
    const at = text.search(new RegExp(`(^|[^a-z])${stem.replace("-", "-?")}`));
    if (at >= 0 && stem.length > best.length) best = stem;
  }
  return best === "" ? text : (SAME[best] ?? best);
}

/**
 * Families of all models as numbers, where their names or a table tell them.
 * @throws AnchorEvalError `invalid_data` where the names tell no families (anonymous models)
 */
export function familyGroups(names: readonly string[], table?: ReadonlyMap<string, string>): Int32Array {
  if (!table && names.every((name) => /^(model|subject|m)?[-_ #]?\d+$/i.test(name)))
    throw new AnchorEvalError(
      "invalid_data",
      "the models have no names to tell families by: give `families`, a file of model,family",
    );
  return familyNumbers(names, table);
}

/**
 * Families of all models, by the table, else by their names.
 * @returns numbered from 0 by first appearance
 */
export function familyNumbers(names: readonly string[], table?: ReadonlyMap<string, string>): Int32Array {
  return numbered(names.map((name) => table?.get(name) ?? familyOf(name)));
}

/** {@link familyNumbers}, where families that share a replicate are one. */
export function modelFamilies(matrix: ResponseMatrix, table?: ReadonlyMap<string, string>): Int32Array {
  return joinGroups(familyNumbers(matrix.subjects, table), replicateGroups(matrix));
}

/**
 * The finest grouping that keeps the groups of both together: replicates across two families tie these together.
 * @returns numbered from 0 by first appearance
 */
export function joinGroups(left: ArrayLike<number>, right: ArrayLike<number>): Int32Array {
  const sets = disjointSets(left.length);
  for (const groups of [left, right]) {
    const first = new Map<number, number>();
    for (let m = 0; m < groups.length; m++) {
      if (!first.has(groups[m]!)) first.set(groups[m]!, m);
      sets.join(first.get(groups[m]!)!, m);
    }
  }
  return sets.numbers();
}

/** Sets of models that grow together, each one alone at first. */
function disjointSets(count: number) {
  const parent = Int32Array.from({ length: count }, (_, m) => m);
  const root = (model: number): number => {
    let at = model;
    while (parent[at] !== at) at = parent[at] = parent[parent[at]!]!;
    return at;
  };
  return {
    join: (one: number, other: number): void => {
      parent[root(one)] = root(other);
    },
    /** The set of every model, numbered from 0 by first appearance. */
    numbers: (): Int32Array => numbered(parent.map((_, m) => root(m))),
  };
}

/** Keys as numbers from 0 by first appearance. */
function numbered(keys: Iterable<string | number>): Int32Array {
  const numbers = new Map<string | number, number>();
  return Int32Array.from(keys, (key) => {
    if (!numbers.has(key)) numbers.set(key, numbers.size);
    return numbers.get(key)!;
  });
}
