export type { Nearest, NearestBackend, NearestCentroids, Points } from "./clustering/nearest-centroids.ts";
export { prepareSelection, selectAnchors } from "./anchors/select-anchors.ts";
export type { FeatureColumn, ItemFeatures } from "./anchors/sublime/item-features.ts";
export type { SubsetRanking } from "./anchors/sublime/subset-ranking.ts";
export { SELECTIONS, type SelectedAnchors, type Selection, type SelectionInput } from "./anchors/types.ts";
export { weightedKmeans, type Clusters } from "./clustering/weighted-kmeans.ts";
export { auditLeaderboard, type Audit, type AuditOptions } from "./audit/audit.ts";
export { auditedItems, type AuditedItem } from "./audit/audited-items.ts";
export { REASONS, type Finding, type Reason } from "./audit/findings.ts";
export { PROVIDERS, resolveBackend, type Provider, type ResolvedBackend } from "./backends/resolve-backend.ts";
export { SPLITS, type BacktestPlanOptions, type SplitName } from "./backtest/plan-cells.ts";
export { runBacktest, type Backtest, type BacktestOptions } from "./backtest/run-backtest.ts";
export type { BacktestRow } from "./backtest/summarize.ts";
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
export { splitQuestions, testAnswers, textsOf, type QuestionSplit } from "./cold-start/question-split.ts";
export { routeQuestions, type MethodRouting, type RouteOptions, type Routing } from "./cold-start/route-questions.ts";
export { routingSummary } from "./cold-start/routing-summary.ts";
export { textFeatures, type QuestionFeatures } from "./cold-start/text-features.ts";
export { ROUTE_METHODS, type RouteMethod } from "./cold-start/types.ts";
export { expectedExposure } from "./exposure/expected-exposure.ts";
export { exposurePlan, withExposure, type ExposureInput } from "./exposure/fit-exposure.ts";
export { limitExposure, type LimitedExposure, type LimitExposureOptions } from "./exposure/limit-exposure.ts";
export { closingWords } from "./fit/closing-words.ts";
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
export type { ImportReport } from "./import/import-report.ts";
export { importLogs, type ImportOptions, type LogImport } from "./import/import-logs.ts";
export { readItemTable, type ItemTable } from "./ingest/item-table.ts";
export { readItems } from "./ingest/items-file.ts";
export { readLongTable, type ImportedTable } from "./ingest/read-long-table.ts";
export { readRouterDc } from "./ingest/router-dc.ts";
export { COLUMN_ROLES, parseTableColumns, type ColumnRole, type TableColumns } from "./ingest/table-columns.ts";
export { readResponses, type ReadResponsesOptions, type Responses } from "./ingest/read-responses.ts";
export { writeItems } from "./ingest/write-items.ts";
export { writeWideCsv } from "./ingest/write-wide-csv.ts";
export { itemFeatures, type ItemFeaturesOptions } from "./item-features/item-features.ts";
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
export {
  NO_DIFFICULTY,
  type AnsweredItems,
  type DifficultySource,
  type PoolDifficulty,
} from "./parallel-forms/difficulty.ts";
export { equatedScores } from "./parallel-forms/equating.ts";
export { checkForms, type FormsCheck, type FormsCheckOptions } from "./parallel-forms/check-forms.ts";
export { formsWords } from "./parallel-forms/forms-words.ts";
export { givenDifficulty } from "./parallel-forms/given-difficulty.ts";
export { itemPool, type ItemPool, type ItemPoolOptions } from "./parallel-forms/item-pool.ts";
export { joinKeys, type JoinKeys } from "./parallel-forms/join-items.ts";
export { summarizeForms } from "./parallel-forms/summarize-forms.ts";
export type { EquatingSummary, FormsSummary, FormSummary, PairSummary } from "./parallel-forms/summary-types.ts";
export { formFiles, type FormsDocument, type FormsInputs } from "./parallel-forms/write-forms.ts";
export { readBundleFolder, writeBundleFolder } from "./publish/bundle-folder.ts";
export { renderReport } from "./report/render-report.ts";
export { startLocalWorker, type LocalWorker, type LocalWorkerOptions } from "./serve/local-worker.ts";
export { SIMULATE_DEFAULTS, type SimulateOptions } from "./simulate/options.ts";
export { simulateLeaderboard, type SimulatedLeaderboard } from "./simulate/simulate-leaderboard.ts";
