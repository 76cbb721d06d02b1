/** Ways of the features to calibrate on a device. */
export { onnxOptimizer } from "./rounds/fit/onnx-optimizer.ts";
export type { RoundOptions } from "./rounds/fit/device-memory.ts";
