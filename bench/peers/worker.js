import { answerInputs, threadData } from "../../offline-trainer/dist/threads/answer-inputs.js";
import { evaluateCell } from "./evaluate-cell.js";
import { peerMethods } from "./methods.js";

/** A thread of the comparison. */
const options = threadData();
const methods = peerMethods(options).filter(({ name }) => options.methods.includes(name));
answerInputs((cell) => evaluateCell(cell, methods));
