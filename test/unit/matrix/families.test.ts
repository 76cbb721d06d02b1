import { describe, expect, test } from "vitest";
import { familyGroups, familyOf } from "../../../offline-trainer/src/matrix/families.ts";
import { expectRefusal, refusal } from "../../support/refusal.ts";

describe("the family of a name", () => {
  test.each([
    ["meta-llama/Llama-3-8B-Instruct", "llama"],
    ["meta_llama-2-70b", "llama"],
    ["codellama/CodeLlama-34b-hf", "llama"],
    ["mistralai/Mixtral-8x7B-v0.1", "mistral"],
    ["mistralai_mistral-large-2402", "mistral"],
    ["mistralai/Ministral-8B", "mistral"],
    ["Qwen/Qwen2.5-72B-Instruct", "qwen"],
    ["Qwen/QwQ-32B-Preview", "qwen"],
    ["cohere_command-r-plus", "command"],
    ["CohereForAI/c4ai-command-r-v01", "command"],
    ["01-ai/Yi-1.5-34B-Chat", "yi"],
    ["openai_gpt-4o-2024-05-13", "gpt-4"],
    ["openai/o1-mini", "gpt-4"],
    ["openai_gpt-3.5-turbo-0613", "gpt-3"],
    ["EleutherAI/gpt-neox-20b", "gpt-neo"],
    ["EleutherAI/gpt-neo-1.3B", "gpt-neo"],
    ["EleutherAI/gpt-j-6b", "gpt-j"],
    ["EleutherAI/gptj", "gpt-j"],
    ["gpt2-xl", "gpt-2"],
    ["bigscience/bloomz-7b1", "bloom"],
    ["THUDM/glm-4-9b", "chatglm"],
    ["allenai/OLMoE-1B-7B", "olmo"],
    ["google/flan-t5-xl", "flan"],
    ["google/t5-small", "t5"],
    ["microsoft/Phi 3 mini", "phi"],
    ["mlabonne/phixtral-2x2_8", "phi"],
    ["NousResearch/Nous-Hermes-2-Mixtral-8x7B-DPO", "mistral"],
    ["writer_palmyra-x-v3", "palmyra"],
    ["google_palm-2", "palm"],
    ["anthropic_claude-3-haiku-20240307", "claude"],
  ])("%s is %s", (name, family) => {
    expect(familyOf(name)).toBe(family);
  });

  test.each([
    ["EleutherAI/pythia-160m@step1000", "pythia"],
    ["EleutherAI/pythia-160m@step2000", "pythia"],
    ["family-3/variant-b@host-2", "variant-b"],
    ["family-3/variant-b", "variant-b"],
    ["google_text-bison@001", "google-text-bison"],
    ["@cf/meta/llama-3-8b", "llama"],
    ["@handle", "@handle"],
  ])("%s: what stands after an @ is no part of it (%s)", (name, family) => {
    expect(familyOf(name)).toBe(family);
  });

  test.each([
    ["ibm/unheard-of_7B", "unheard-of-7b"],
    ["snowflake-arctic", "snowflake-arctic"],
    ["adopted-7b", "adopted-7b"], // no word begins with OPT
    ["", ""],
  ])("an unknown stem is a family of its own: %s", (name, family) => {
    expect(familyOf(name)).toBe(family);
  });
});

describe("families of all models", () => {
  test("are numbered by first appearance", () => {
    expect(Array.from(familyGroups(["a/llama-1", "b/qwen", "c/llama-2", "own", "d/Qwen2"]))).toEqual([0, 1, 0, 2, 1]);
  });

  test("come from the table where it has the name", () => {
    const table = new Map([
      ["model-1", "x"],
      ["llama-7b", "y"],
      ["model-3", "x"],
    ]);
    expect(Array.from(familyGroups(["model-1", "llama-7b", "model-3", "llama-13b", "llama-70b"], table))).toEqual([
      0, 1, 0, 2, 2,
    ]);
  });

  test.each([[["model 1", "model 2"]], [["17", "18"]], [["m-3", "M_4", "subject5", "#6"]]])(
    "anonymous models (%s) are the error that names `families`",
    (names) => {
      expectRefusal(
        refusal(() => familyGroups(names)),
        "invalid_data",
        "`families`, a file",
      );
      expect(Array.from(familyGroups(names, new Map([[names[0]!, "a"]]))).length).toBe(names.length);
    },
  );

  test("one real name is enough to go by names", () => {
    expect(Array.from(familyGroups(["model-1", "model-2", "llama"]))).toEqual([0, 1, 2]);
  });
});
