import type { AnswerOptions, AnyEstimate } from "anchoreval/internal/features/sdk-estimate";
import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import type { ReadModel } from "anchoreval/internal/node/logs/anchor-logs";
import type { CommandPart } from "../program/parts.ts";
import type { ResultParts } from "../program/summary.ts";
import type { Answered, ModelReading } from "./answers.ts";
import type { BundleStore } from "anchoreval/internal/bundles/bundle-store";
import type { OptionReader, OptionSpecs } from "../program/command.ts";
import type { Output } from "../program/output.ts";

/** A feature's part of `estimate`; what it says of a result, `run` says as well. */
export interface EstimatePart extends CommandPart<EstimateOfPart> {
  /** Says what there is to an estimate by these options; null where that is nothing. */
  words?(result: Answered<AnyEstimate>, options: AnswerOptions): Promise<EstimateWords | null> | EstimateWords | null;
  /** Why one answer of each item is no answer for this bundle; null where it is. */
  refusesSingle?(bundle: Bundle): string | null;
}

/** An estimate as options of a part ask for it. */
export interface EstimateOfPart {
  readonly reading?: ModelReading;
  /** Options of `estimate()` on this bundle and these answers. */
  options(bundle: Bundle, model: ReadModel): Promise<AnswerOptions> | AnswerOptions;
  /** Done with the result. */
  beside?(bundle: Bundle, result: Answered<AnyEstimate>, model: ReadModel): Promise<Beside>;
}

/** Fields that a result is printed with, and what to say of them. */
export interface Beside {
  readonly fields: object;
  readonly remark: string;
}

export interface EstimateWords {
  /** In place of the trunk's words, of a result of another kind. */
  readonly instead?: { readonly heading: string; readonly parts: ResultParts };
  /** Sentences below the scores. */
  readonly sentences?: readonly string[];
  /** After all that. */
  readonly after?: ResultParts;
}

/** A side road of `publish` and `publish yank`: what options add to a change in a store, and the main road doesn't know by name. */
export interface PublishPart {
  /** Of its options in the help. */
  readonly heading: string;
  readonly options: OptionSpecs;
  /** Why a Worker takes none of them; follows the option's name. */
  readonly notForWorker: string;
  /** Reads its options and checks the bundle, before anything is changed. */
  read(options: OptionReader, bundle: ChangedBundle, output: Output): Promise<AfterChange>;
}

interface ChangedBundle {
  readonly manifest: Uint8Array;
  /** manifest.sig, null where there is none. */
  readonly signatures: Uint8Array | null;
  /** For messages. */
  readonly name: string;
}

/** Done in a benchmark's store, once it is changed there. */
export type AfterChange = (store: BundleStore, benchmark: string) => Promise<void>;
