import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { readResponses } from "../../../offline-trainer/src/matrix/read-responses.ts";
import { isBinary, type ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";

/** Real matrices for development lie beside the checkout, if at all: they are not the project's to ship. */
const DATA = fileURLToPath(new URL("../../../../shared/data/", import.meta.url));

/** What each folder's README states: models, items, share observed, items and subscenarios of each scenario. */
const EXPECTED: Record<
  string,
  {
    models: number;
    binary: boolean;
    observed: number;
    mean: number;
    scenarios: Record<string, [number, number]>;
    remark?: RegExp;
  }
> = {
  "helm-lite": {
    models: 83,
    binary: true,
    observed: 1,
    mean: 0.6447,
    scenarios: { gsm: [1000, 0], math: [437, 7], med_qa: [1000, 0], mmlu: [567, 5], openbookqa: [500, 0] },
  },
  "helm-legalbench": { models: 79, binary: true, observed: 1, mean: 0.5327, scenarios: { legalbench: [2047, 5] } },
  "openllm2-official": {
    models: 429,
    binary: true,
    observed: 0.999,
    mean: 0.2402,
    scenarios: { ifeval: [541, 0], math_hard: [894, 5], musr: [756, 3] },
    remark: /the organization.*: "gpt2" and "openai-community\/gpt2"; if each is one/, // it is: all their answers are the same
  },
  zeroeval: {
    models: 56,
    binary: true,
    observed: 0.8104,
    mean: 0.6831,
    scenarios: { gsm: [1319, 0], "math-l5": [721, 0], crux: [800, 0] },
  },
  cruxeval: {
    models: 37,
    binary: false,
    observed: 1,
    mean: 0.4623,
    scenarios: { "CRUXEval-input-T0.2": [800, 0], "CRUXEval-output-T0.2": [800, 0] },
  },
  "glue-anchorpoints": {
    models: 87,
    binary: true,
    observed: 1,
    mean: 0.5702,
    scenarios: { mrpc: [408, 0], rte: [277, 0], sst2: [872, 0], qnli: [5463, 0] },
  },
};

describe.each(Object.entries(EXPECTED))("%s", (name, expected) => {
  test("has the shape that its description states", async ({ skip }) => {
    const folder = `${DATA}${name}/`;
    skip(!existsSync(folder), `${name} is not on this machine`);
    const { matrix, remarks } = await readResponses(`${folder}responses.csv.gz`, { items: `${folder}items.jsonl.gz` });
    expect(remarks).toEqual(expected.remark === undefined ? [] : [expect.stringMatching(expected.remark)]);
    expect(matrix.subjects.length).toBe(expected.models);
    expect(isBinary(matrix)).toBe(expected.binary);
    expect(scenarioSizes(matrix)).toEqual(expected.scenarios);
    const { share, mean } = observedMean(matrix);
    expect(share).toBeCloseTo(expected.observed, 4);
    expect(mean).toBeCloseTo(expected.mean, 4);
    expect(matrix.items.some((item) => "answer" in item)).toBe(false);
  });
});

function scenarioSizes({ items }: ResponseMatrix): Record<string, [items: number, subscenarios: number]> {
  return Object.fromEntries(
    [...new Set(items.map((item) => item.scenario))].map((scenario) => {
      const own = items.filter((item) => item.scenario === scenario);
      const subscenarios = new Set(own.flatMap((item) => item.subscenario ?? []));
      return [scenario, [own.length, subscenarios.size]];
    }),
  );
}

function observedMean({ scores, observed }: ResponseMatrix): { share: number; mean: number } {
  let sum = 0;
  let count = 0;
  scores.forEach((score, at) => {
    if (observed !== null && observed[at] === 0) return;
    sum += score;
    count++;
  });
  return { share: count / scores.length, mean: sum / count };
}
