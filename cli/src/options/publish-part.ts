import type { BundleStore } from "anchoreval/internal/publish/bundle-store";
import type { OptionReader, OptionSpecs } from "../program/command.ts";
import type { Output } from "../program/output.ts";

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
