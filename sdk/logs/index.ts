/**
 * Readers of evaluation harnesses' logs: their records in, scores of items out.
 * @module anchoreval/logs
 */
export { parseChoices, type Choose } from "./choices.ts";
export { matchAnchors, type AnchorAnswers } from "./match-anchors.ts";
export { documentContent, documentText } from "./lm-eval/sample-line.ts";
export { logFileName, type LogFileName } from "./lm-eval/read-results.ts";
export { canonicalJson } from "./json.ts";
export { readInspectHeader, type InspectHeader } from "./inspect/read-header.ts";
export { InspectSampleReader, type InspectSampleOptions } from "./inspect/read-samples.ts";
export { scoreValue } from "./inspect/read-samples.ts";
export { groupRuns } from "./run-log.ts";
export { groupWeighting } from "./task-groups.ts";
export {
  COMPARED_FIELDS,
  flatProtocol,
  PROTOCOL_WORDS,
  protocolDifferences,
  taskProtocol,
  type TaskProtocol,
} from "./protocol.ts";
export { lightevalFileName, type LightevalFileName } from "./lighteval/read-results.ts";
export { LightevalDetailsReader, type DetailsOptions } from "./lighteval/read-details.ts";
export { readLightevalResults } from "./lighteval/read-results.ts";
export { readLmEvalResults } from "./lm-eval/read-results.ts";
export { LmEvalSampleReader, readLmEvalSamples, type SampleOptions } from "./lm-eval/read-samples.ts";
export { itemContent, type PromptKind } from "./opencompass/read-details.ts";
export {
  type DatasetConfig,
  type GroupConfig,
  type ModelConfig,
  type OpenCompassConfig,
  readOpenCompassConfig,
} from "./opencompass/read-config.ts";
export { readOpenCompassDetails, type OpenCompassOptions } from "./opencompass/read-details.ts";
export { readOpenCompassSummary, type OpenCompassSummary } from "./opencompass/read-config.ts";
export { ancestors, groupOfTask, leafTasks } from "./task-groups.ts";
export { parsePythonJson } from "./json.ts";
export { parsePythonAssignments, parsePythonLiteral, type PythonValue } from "./python-literal.ts";
export { scoreScale, type ScaleOptions } from "../tables/score-reader.ts";
export type { GroupResults, RunResults, TaskResults } from "./run-log.ts";
export type { LoggedSample, RunLog, RunSamples, SampleState } from "./run-log.ts";
