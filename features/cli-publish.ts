import type { PublishPart } from "../cli/src/options/parts.ts";
import { publishWith } from "./publishing/cli/publish.ts";
import { sealPart } from "./trust/cli/seal.ts";

/** The features' parts of a publication, in the order in which they follow it. */
export const PUBLISH_PARTS: readonly PublishPart[] = [sealPart];

export const publishCommand = publishWith(PUBLISH_PARTS);
