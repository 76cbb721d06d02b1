import type { BundleRef, CallOptions, PostToBundle } from "../../client/sdk/call.ts";
import type { PlainResponses, Responses } from "../../../sdk/tables/item-trials.ts";
import type { AdaptiveSource, AdaptiveTurn } from "./adaptive-session.ts";
import type { AdaptiveAnswers, NextItemsRequest } from "./types.ts";

export interface AdaptiveCalls {
  /** The items to ask next: `adaptiveEvaluation` goes on asking until it is enough. */
  nextItems(ref: BundleRef, request: NextItemsRequest, options?: CallOptions): Promise<AdaptiveTurn>;
  /** Where `adaptiveEvaluation` has its items from. A session stays with the version that it began with. */
  adaptive(ref: BundleRef, options?: CallOptions): AdaptiveSource;
}

/** A client's calls for adaptive evaluations. */
export function adaptiveCalls(post: PostToBundle): AdaptiveCalls {
  const nextItems: AdaptiveCalls["nextItems"] = (ref, request, options) => post(ref, "next-items", request, options);
  return {
    nextItems,
    adaptive: (ref, options) => {
      let begun = ref;
      return {
        begin: async (begin) => {
          const first = await nextItems(ref, { begin }, options);
          begun = { benchmark: ref.benchmark, version: first.version };
          return first;
        },
        next: (state, answers) => nextItems(begun, { state, ...plainAnswers(answers) }, options),
      };
    },
  };
}

/** Answers as JSON has them. */
function plainAnswers(answers: AdaptiveAnswers): Pick<NextItemsRequest, "responses" | "a" | "b"> {
  const plain = (responses: Responses): PlainResponses =>
    responses instanceof Map ? (Object.fromEntries(responses) as PlainResponses) : (responses as PlainResponses);
  if ("responses" in answers) return { responses: plain(answers.responses) };
  return { a: { responses: plain(answers.a.responses) }, b: { responses: plain(answers.b.responses) } };
}
