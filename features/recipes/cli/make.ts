import { join } from "node:path";
import { inOrder, pinnedBoard } from "anchoreval-trainer/internal/features/recipes/fit/pinned-board";
import { formSizes, pinsAll, type Recipe, RECIPES } from "anchoreval-trainer/internal/features/recipes/fit/recipes";
import { readName } from "anchoreval-trainer/internal/fit/options";
import { parseManifest } from "anchoreval/bundle";
import { loadBundle } from "anchoreval/internal/bundles/load-bundle";
import { readManifest } from "anchoreval/internal/bundles/read-file";
import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { lookUp } from "anchoreval/internal/core/bundle/names";
import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import { bundleCard } from "anchoreval/internal/features/publishing/sdk/bundle-card";
import { writeBundleFolder } from "anchoreval/internal/node/bundle-folder";
import { folderSource } from "anchoreval/internal/node/folder";
import { listed } from "anchoreval/internal/words/figures";
import { errorLines } from "../../../cli/src/bundles/bundle-tables.ts";
import { quote } from "../../../cli/src/bundles/form-anchors.ts";
import { fitAsked } from "../../../cli/src/commands/fit.ts";
import { THREADS_OPTION } from "../../../cli/src/options/fit.ts";
import { commandOfActions } from "../../../cli/src/program/actions.ts";
import {
  type Command,
  type CommandInput,
  FORCE_OPTION,
  given,
  option,
  OptionReader,
  rare,
} from "../../../cli/src/program/command.ts";
import { writeOver } from "../../../cli/src/program/errors.ts";
import { checkOutFolder } from "../../../cli/src/program/out.ts";
import type { Output } from "../../../cli/src/program/output.ts";
import { importBoard, type ImportSource, priceColumns, writeBoard } from "../../import/cli/board.ts";
import { dateOf, findData, otherData, refuseOther, sourceWords } from "./source-data.ts";

/** The content of the folder that is made. */
const MADE = ["bundle", "board", "card.md"] as const;
const [BUNDLE, BOARD, CARD] = MADE;

/** Slower than ONNX Runtime, and free of how a processor rounds: the same bytes on all of them. */
const PROVIDER = "typescript";

const OPTIONS = {
  Data: {
    newer: option("X.Y.Z", "take data other than the recipe's, such as a newer commit's; the bundle is this version"),
  },
  "How to fit": rare(THREADS_OPTION),
  Output: {
    out: option("DIR", "folder for the bundle, its card, and the board that it was fitted from"),
    ...FORCE_OPTION,
  },
} as const satisfies Command["options"];

type Recipes = Readonly<Record<string, Recipe>>;

/** The command on some recipes, by name. */
export function bundlesWith(recipes: Recipes): Command {
  const examples = ["bundles make", "bundles make terminal-bench-1 eval-arena-data --out out/tb"] as const;
  const make = {
    summary: "a bundle from public data, by a recipe: the same bytes everywhere; without RECIPE the list of them",
    operands: { usage: "[RECIPE FOLDER]" },
    options: OPTIONS,
    examples,
    async run(input: CommandInput) {
      const [name, folder, ...others] = input.operands;
      if (name === undefined) {
        const names = Object.values(OPTIONS).flatMap((group) => Object.keys(group));
        input.options.refuse(names, "is for a recipe, and none is named");
        listRecipes(recipes, input.output);
        return;
      }
      const recipe = lookUp(recipes, name);
      if (recipe === undefined)
        throw invalidOption(`there is no recipe ${name}: there are ${listed(Object.keys(recipes))}`);
      if (others.length > 0) throw invalidOption(`a recipe reads one folder; got ${others.length + 1}`);
      await makeBundle({ name, recipe, folder }, input);
    },
  };
  return commandOfActions({ make }, examples);
}

export const bundlesCommand = bundlesWith(RECIPES);

function listRecipes(recipes: Recipes, output: Output): void {
  const rows = Object.entries(recipes).map(([name, recipe]) => {
    const { version, description, repository, commit, path, licence } = recipe;
    return { name, version, description, repository, commit, path, licence, pinned: pinnedWords(recipe) };
  });
  output.result(
    { recipes: rows },
    rows.flatMap(({ name, description, repository, commit, path, licence, pinned }) => [
      `${name}: ${description}`,
      `  reads    ${path} of ${repository} at ${commit.slice(0, 7)}`,
      `  pinned   ${pinned}`,
      `  licence  ${licence}`,
    ]),
  );
}

/** That of a recipe's data which is known beforehand. */
function pinnedWords(recipe: Recipe): string {
  if (pinsAll(recipe)) return "models, items and scores, by digests";
  const items = recipe.pinned.items === undefined ? "" : " and the items' digest";
  return `the commit${items}; models and scores are first read where the bundle is made`;
}

interface AskedRecipe {
  readonly name: string;
  readonly recipe: Recipe;
  readonly folder: string | undefined;
}

async function makeBundle({ name, recipe, folder }: AskedRecipe, { options, output, signal }: CommandInput) {
  const newer = options.text("newer");
  if (newer === recipe.version)
    throw invalidOption(`--newer ${newer} is the version of the recipe's own data: take another`);
  const { version } = readName(`${name}@${newer ?? recipe.version}`);
  const data = await findData(recipe, folder);
  const out = options.required("out");
  const force = options.flag("force");
  await checkOutFolder({ option: "--out", folder: out, files: MADE, force, other: otherBundle(name, version) });

  const { from, ...reading } = recipe.reader;
  const { report, ...read } = await importBoard(from as ImportSource, [data.place], new OptionReader(reading), output);
  const board = inOrder(read, recipe.item);
  const digests = pinnedBoard(board.matrix);
  const other = otherData(recipe, { matrix: board.matrix, digests }, data);
  if (other.length > 0 && newer === undefined) refuseOther(name, recipe, data, other);
  if (other.length === 0 && newer !== undefined)
    throw invalidOption(
      `--newer ${newer}: ${data.folder} has the recipe's own data, whose version is ${recipe.version}`,
    );
  for (const warning of report.warnings) output.remark(warning);
  const { licence, description } = recipe;
  const source = sourceWords(recipe, data, other);
  const protocol = recipe.protocol ?? ("protocol" in report ? report.protocol : {});
  const facts = { protocol, ...given({ weighting: recipe.weighting ?? report.weighting }) };
  const files = await writeBoard(join(out, BOARD), board, {
    ...{ recipe: name, source, licence, ...facts, data: digests },
  });

  const { sizes, totals } = formSizes(board.matrix.items);
  const columns = priceColumns((board.prices ?? []).map(({ kind }) => kind));
  const asked = {
    ...{ ...files, name: `${name}@${version}`, seed: "1", provider: PROVIDER, anchors: sizes.join(",") },
    ...(totals.length > 0 && { total: totals.join(",") }),
    ...(columns !== "" && { prices: files.items, "price-column": columns }),
    ...{ description, licence, source, created: newer === undefined ? recipe.date : await dateOf(data) },
    threads: options.text("threads"),
  };
  const { files: made } = await fitAsked({ options: new OptionReader(asked), output, signal }, { facts });
  const bundle = join(out, BUNDLE);
  await writeBundleFolder(bundle, made, { force });
  await writeOver(join(out, CARD), bundleCard(await loadBundle(folderSource(bundle))));

  const bytes = made.get("manifest.json")!;
  const [manifest, digest] = [parseManifest(bytes), `sha256:${sha256Hex(bytes)}`];
  const next = [
    `anchoreval export --bundle ${quote(bundle)} --to ${recipe.harness} --out anchors`,
    `anchoreval estimate --bundle ${quote(bundle)} --form ${manifest.defaultForm} --from ${recipe.harness} LOGS`,
    `anchoreval reproduce ${quote(bundle)} --responses ${quote(files.responses)} --items ${quote(files.items)}${columns && ` --prices ${quote(files.items)}`}`,
  ];
  const { models, items, scores } = digests;
  output.result({ bundle, digest, recipe: name, other, data: { models, items, scores }, manifest, next }, [
    ...errorLines(manifest),
    "",
    `${name}@${version} in ${bundle}, ${digest}`,
    `data: ${other.length > 0 ? `other than the recipe's: ${other.join("; ")}` : `the recipe's, of which it pins ${pinnedWords(recipe)}`}`,
    ...(pinsAll(recipe) && other.length === 0 ? [] : [`read here: models ${models}, items ${items}, scores ${scores}`]),
    `licence: ${licence}`,
    "next:",
    ...next.map((command) => `  ${command}`),
  ]);
}

/** Why a folder's bundle isn't another making of this one. */
function otherBundle(benchmark: string, version: string): (folder: string) => Promise<string | null> {
  return async (folder) => {
    try {
      const { manifest } = await readManifest(folderSource(join(folder, BUNDLE)), {});
      const isSame = manifest.benchmark === benchmark && manifest.version === version;
      return isSame ? null : `the bundle ${manifest.benchmark}@${manifest.version}`;
    } catch (error) {
      if (error instanceof AnchorEvalError && error.code === "not_found") return null;
      return "a bundle that can't be read";
    }
  };
}
