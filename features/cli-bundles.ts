import { readRoot } from "./trust/cli/trusted-root.ts";

/** Files that ANCHOREVAL_TRUSTED_KEYS may name in place of public keys: each reads its own kind of file, and is null for others. */
export const TRUSTED_FILES = [readRoot] as const;

/** Hugging Face, whose bundles are listed. */
export const loadHub = () => import("anchoreval-trainer/internal/features/publishing/fit/hub-store");
