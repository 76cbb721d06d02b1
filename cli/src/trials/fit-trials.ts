import type { FitExtension } from "../options/fit.ts";

/** Variance components of a fit on several trials of each item. */
export const varianceComponents: FitExtension = {
  options: {},
  read: () => async (board) => {
    if (!("trials" in board)) return {};
    const { withVarianceComponents } =
      await import("anchoreval-trainer/internal/extensions/trials/variance-components");
    const { componentWords } = await import("anchoreval/internal/trials/components");
    const { matrix, trials } = board;
    return {
      addition: {
        stage: "trials",
        add: ({ content }) => withVarianceComponents(content, trials, matrix.items),
        words: componentWords,
      },
    };
  },
};
