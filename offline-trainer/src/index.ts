/**
 * Fits, back-tests, audits and publishes bundles, in Node.
 * @module anchoreval-trainer
 */
export { prepareSelection, selectAnchors } from "./anchors/select-anchors.ts";
export type { FeatureColumn, ItemFeatures, ItemGroups } from "./methods/sublime/item-features.ts";
export type { SubsetRanking } from "./methods/sublime/untouched-ranking.ts";
export type { UntouchedRanking } from "./methods/sublime/untouched-ranking.ts";
export { type SelectedAnchors, type Selection, type SelectionInput, SELECTIONS } from "./anchors/types.ts";
export type { BankAudit, ItemAudit } from "./audit/audit-bank.ts";
export { auditLeaderboard, type Audit, type AuditOptions } from "./audit/audit.ts";
export { auditedItems, type AuditedItem } from "./audit/audited-items.ts";
export { REASONS, type Finding, type Reason } from "./audit/findings.ts";
export type { ItemCopy } from "./audit/item-copies.ts";
export { type Provider, PROVIDERS, resolveBackend, type ResolvedBackend } from "./backends/resolve-backend.ts";
export { SPLITS, type BacktestPlanOptions, type SplitName } from "./backtest/plan-cells.ts";
export { runBacktest, type Backtest, type BacktestOptions } from "./backtest/backtest.ts";
export type { BacktestRow } from "./backtest/rows.ts";
export { calibrate, type CalibrateOptions, type Calibration, type CalibrationStep } from "./calibrate/calibrate.ts";
export type { CalibrationBackend, CodedResponses, Objective, Parameters } from "./calibrate/types.ts";
export { embeddedRows, readEmbeddings, type Embeddings } from "./cold-start/embeddings-file.ts";
export {
  checkColdStart,
  fitColdStart,
  withColdStart,
  type ColdStart,
  type ColdStartInput,
} from "./cold-start/fit-cold-start.ts";
export { forecastQuality, type ForecastQuality } from "./cold-start/forecast-quality.ts";
export { judgeRouting, type RoutingJudgement, type Share } from "./cold-start/judge-routing.ts";
export type { Neighbours } from "./cold-start/neighbour-parameters.ts";
export type { ShiftOf } from "./cold-start/probability-scale.ts";
export {
  type QuestionChoice,
  type QuestionSplit,
  splitQuestions,
  testAnswers,
  textsOf,
} from "./cold-start/question-split.ts";
export { routeQuestions, type MethodRouting, type RouteOptions, type Routing } from "./cold-start/route-questions.ts";
export { routingSummary } from "./cold-start/routing-summary.ts";
export { textFeatures, type QuestionFeatures } from "./cold-start/text-features.ts";
export { ROUTE_METHODS, type RouteMethod } from "./cold-start/types.ts";
export { expectedExposure } from "./exposure/expected-exposure.ts";
export { exposurePlan, withExposure, type ExposureInput } from "./exposure/fit-exposure.ts";
export { limitExposure, type LimitedExposure, type LimitExposureOptions } from "./exposure/limit-exposure.ts";
export { closingWords } from "./report/closing-words.ts";
export {
  configurationDigest,
  DEFAULT_CONFIGURATION,
  type FitConfiguration,
  type LambdaRule,
} from "./fit/configuration.ts";
export { bundleFiles, fitBundle, type FitResult } from "./fit/fit-bundle.ts";
export type { BundleDescription, FitOptions } from "./fit/fit-options.ts";
export { foldThreads, type FoldThreads } from "./fit/fold-threads.ts";
export { RECIPE_NAMES, RECIPES, type Recipe, type RecipeName } from "./fit/recipes.ts";
export type { ProtocolDifference } from "./import/check-protocols.ts";
export type { ScoreComparison } from "./import/compare-scores.ts";
export { importLogs, type ImportOptions, type LogImport } from "./import/import-logs.ts";
export type { ImportReport, ReportedRun } from "./import/import-report.ts";
export type { ErrorPolicy } from "./import/run-scores.ts";
export type { DuplicatePolicy } from "./import/select-runs.ts";
export { readItemTable, type ItemTable } from "./ingest/item-table.ts";
export { readItems } from "./ingest/items-file.ts";
export { readLongTable, type ImportedTable } from "./ingest/read-long-table.ts";
export { readRouterDc } from "./ingest/router-dc.ts";
export { COLUMN_ROLES, parseTableColumns, type ColumnRole, type TableColumns } from "./ingest/table-columns.ts";
export { readResponses, type ReadResponsesOptions, type Responses } from "./ingest/read-responses.ts";
export { writeItems } from "./ingest/write-items.ts";
export { writeWideCsv } from "./ingest/write-wide-csv.ts";
export { itemFeatures, type ItemFeaturesOptions } from "./methods/sublime/item-features.ts";
export { groupItems } from "./matrix/group-items.ts";
export {
  isBinary,
  responseMatrix,
  scoreAt,
  submatrix,
  type ItemInfo,
  type ResponseMatrix,
} from "./matrix/response-matrix.ts";
export { answeredDifficulty, type AnsweredDifficultyOptions } from "./parallel-forms/answered-difficulty.ts";
export {
  buildParallelForms,
  type ParallelForm,
  type ParallelForms,
  type ParallelFormsOptions,
} from "./parallel-forms/build-parallel-forms.ts";
export { checkForms, type FormsCheck, type FormsCheckOptions, type OverModels } from "./parallel-forms/check-forms.ts";
export type { DifficultyBucket } from "./parallel-forms/difficulty-buckets.ts";
export {
  NO_DIFFICULTY,
  type AnsweredItems,
  type DifficultySource,
  type PoolDifficulty,
} from "./parallel-forms/difficulty.ts";
export { equatedScores } from "./parallel-forms/equating.ts";
export { formsWords } from "./parallel-forms/forms-words.ts";
export { givenDifficulty } from "./parallel-forms/given-difficulty.ts";
export { itemPool, type ItemPool, type ItemPoolOptions } from "./parallel-forms/item-pool.ts";
export { joinKeys, type JoinKeys } from "./parallel-forms/join-items.ts";
export type { Quotas, Stratum } from "./parallel-forms/quotas.ts";
export type { Refinement } from "./parallel-forms/refine-forms.ts";
export { summarizeForms } from "./parallel-forms/summarize-forms.ts";
export type {
  BucketSummary,
  Counted,
  CurvesSummary,
  DifficultyMoments,
  Distances,
  EquatingSummary,
  FormsSummary,
  FormSummary,
  PairSummary,
} from "./parallel-forms/summary-types.ts";
export { formFiles, type FormsDocument, type FormsInputs } from "./parallel-forms/write-forms.ts";
export { readBundleFolder, writeBundleFolder } from "./publish/bundle-folder.ts";
export { renderReport } from "./report/render-report.ts";
export { startLocalWorker, type LocalWorker, type LocalWorkerOptions } from "./serve/local-worker.ts";
export { type NumericOption, type RowOrder, SIMULATE_DEFAULTS, type SimulateOptions } from "./simulate/options.ts";
export { simulateLeaderboard, type SimulatedLeaderboard } from "./simulate/simulate-leaderboard.ts";
export type { SimulatedTruth } from "./simulate/truth.ts";
