import { parentPort, workerData } from "node:worker_threads";
import { evaluateCell } from "./evaluate-cell.js";
import { peerMethods } from "./methods.js";

/** A thread of the comparison: evaluates the cells that it is sent, one at a time. */
const methods = peerMethods(workerData).filter(({ name }) => workerData.methods.includes(name));
parentPort.on("message", ({ index, cell }) => {
  parentPort.postMessage({ index, results: evaluateCell(cell, methods) });
});
