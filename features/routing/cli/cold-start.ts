import type { Neighbours } from "anchoreval-trainer/internal/features/routing/fit/forecasts";
import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { type OptionReader, type OptionSpecs, option, rare } from "../../../cli/src/program/command.ts";
import type { FitOptionPart } from "../../../cli/src/options/fit.ts";

const METHODS = ["ridge", "knn", "weighted-knn"] as const;
/** Neighbours of the methods that have some. */
const NEIGHBOURS = 20;

/** Options of the items without answers whose parameters a fit predicts. */
export const COLD_START_OPTIONS = {
  "cold-start": option(
    "FILE",
    "items without answers, CSV or JSONL: predict their parameters, and with model names keep routes",
  ),
  "cold-embeddings": option(
    "FILE",
    "vectors of all items for --cold-start, in the format of embed (default: TF-IDF of the texts)",
  ),
  "cold-method": option(
    METHODS.join("|"),
    "how to predict the parameters; routes always come from regressions (default ridge)",
  ),
  "cold-k": option("K", `nearest items of knn and weighted-knn (default ${NEIGHBOURS})`),
} as const satisfies OptionSpecs;

/** Items without answers, whose parameters a bundle predicts. */
export const coldStart: FitOptionPart = {
  options: { Extensions: rare(COLD_START_OPTIONS) },
  read({ options, output, seed, method }) {
    const [file, embeddings] = [options.text("cold-start"), options.text("cold-embeddings")];
    if (file === undefined) {
      options.refuse(["cold-embeddings", "cold-method", "cold-k"], "needs --cold-start, which isn't given");
      return null;
    }
    const neighbours = readNeighbours(options);
    const { irtModel } = method.settings;
    if (irtModel !== "1pl" && irtModel !== "2pl")
      throw new AnchorEvalError(
        "unsupported",
        `--cold-start predicts parameters of 1pl and 2pl, not the asymptotes of ${irtModel}`,
      );
    return async ({ matrix }) => {
      const { readItems } = await import("anchoreval-trainer/internal/matrix/items-file");
      const { readEmbeddings } = await import("anchoreval-trainer/internal/features/routing/fit/embeddings-file");
      const { withColdStart } = await import("anchoreval/internal/features/routing/core/routing-file");
      const { checkColdStart, fitColdStart, coldStartWords } =
        await import("anchoreval-trainer/internal/features/routing/fit/cold-start");
      const input = {
        items: await readItems(file),
        embeddings: embeddings === undefined ? null : await readEmbeddings(embeddings),
        neighbours,
      };
      checkColdStart(matrix, input);
      return {
        words: coldStartWords,
        part: {
          stage: "cold start",
          add({ learned, content }) {
            output.remark(`cold start: learning from ${matrix.items.length} items`);
            const random = createRandom(seed).fork("cold start");
            return withColdStart(content, fitColdStart(learned, input, content.manifest.sources.names, random));
          },
        },
      };
    };
  },
};

function readNeighbours(options: OptionReader): Neighbours | null {
  const method = options.oneOf("cold-method", METHODS, "ridge");
  const k = options.number("cold-k", { min: 1, integer: true }, undefined);
  if (method !== "ridge") return { k: k ?? NEIGHBOURS, weighted: method === "weighted-knn" };
  if (k !== undefined) throw invalidOption("--cold-k is for --cold-method knn or weighted-knn");
  return null;
}
