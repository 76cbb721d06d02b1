export { parseChoices, type Choose } from "./choices.ts";
export { matchAnchors, type AnchorAnswers } from "./match-anchors.ts";
export { documentContent, documentText } from "./lm-eval/document-content.ts";
export { logFileName, type LogFileName } from "./lm-eval/file-names.ts";
export { groupWeighting } from "./lm-eval/group-weighting.ts";
export {
  COMPARED_FIELDS,
  flatProtocol,
  PROTOCOL_WORDS,
  protocolDifferences,
  taskProtocol,
  type TaskProtocol,
} from "./lm-eval/protocol.ts";
export { readLmEvalResults, type LmEvalGroup, type LmEvalResults, type LmEvalTask } from "./lm-eval/read-results.ts";
export {
  LmEvalSampleReader,
  readLmEvalSamples,
  type LmEvalSamples,
  type SampleOptions,
} from "./lm-eval/read-samples.ts";
export { ancestors, groupOfTask, leafTasks } from "./lm-eval/task-groups.ts";
export { parsePythonJson } from "./python-json.ts";
export { scoreScale, type ScaleOptions } from "./score-scale.ts";
export type { LoggedSample, SampleState } from "./types.ts";
