import { DEFAULT_SETTINGS } from "../settings.ts";
import type { Method } from "../method.ts";
import { sublimeAnchors } from "./anchors.ts";

/** @see Saranathan et al. (2025), SubLIME, ACL */
export const sublime: Method = {
  name: "sublime",
  summary: "of many candidate subsets the one with the best predicted rank correlation",
  settings: { ...DEFAULT_SETTINGS, selection: "sublime" },
  anchors: sublimeAnchors,
};
