/**
 * Readers of evaluation harnesses' logs: their records in, scores of items out.
 * @module anchoreval/logs
 */
export { parseChoices, type Choose } from "./choices.ts";
export { matchAnchors, type AnchorAnswers } from "./match-anchors.ts";
export { documentContent, documentText } from "./lm-eval/sample-line.ts";
export { logFileName, readLmEvalResults, type LogFileName } from "./lm-eval/read-results.ts";
export { canonicalJson, parsePythonJson } from "./json.ts";
export { readInspectHeader, type InspectHeader } from "./inspect/read-header.ts";
export { InspectSampleReader, scoreValue, type InspectSampleOptions } from "./inspect/read-samples.ts";
export {
  groupRuns,
  type GroupResults,
  type LoggedSample,
  type RunLog,
  type RunResults,
  type RunSamples,
  type SampleState,
  type TaskResults,
} from "./run-log.ts";
export { ancestors, groupOfTask, groupWeighting, leafTasks } from "./task-groups.ts";
export {
  COMPARED_FIELDS,
  flatProtocol,
  PROTOCOL_WORDS,
  protocolDifferences,
  taskProtocol,
  type TaskProtocol,
} from "./protocol.ts";
export { lightevalFileName, readLightevalResults, type LightevalFileName } from "./lighteval/read-results.ts";
export { LightevalDetailsReader, type DetailsOptions } from "./lighteval/read-details.ts";
export { LmEvalSampleReader, readLmEvalSamples, type SampleOptions } from "./lm-eval/read-samples.ts";
export {
  itemContent,
  readOpenCompassDetails,
  type OpenCompassOptions,
  type PromptKind,
} from "./opencompass/read-details.ts";
export {
  readOpenCompassConfig,
  readOpenCompassSummary,
  type DatasetConfig,
  type GroupConfig,
  type ModelConfig,
  type OpenCompassConfig,
  type OpenCompassSummary,
} from "./opencompass/read-config.ts";
export { parsePythonAssignments, parsePythonLiteral, type PythonValue } from "./python-literal.ts";
export { scoreScale, type ScaleOptions } from "../tables/score-reader.ts";
