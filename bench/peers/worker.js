import { workerData } from "node:worker_threads";
import { answerInputs } from "../../offline-trainer/dist/threads/answer-inputs.js";
import { evaluateCell } from "./evaluate-cell.js";
import { peerMethods } from "./methods.js";

/** A thread of the comparison. */
const methods = peerMethods(workerData).filter(({ name }) => workerData.methods.includes(name));
answerInputs((cell) => evaluateCell(cell, methods));
