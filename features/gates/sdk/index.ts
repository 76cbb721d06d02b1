/** Gates over nights. */
export { gateFromAnchors, type GateOptions, type GateResult } from "./gate-from-anchors.ts";
