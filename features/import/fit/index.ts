/** Response matrices from harnesses' logs, from long tables, and from other data sets. */
export type { ScoreComparison } from "./assign-scenarios.ts";
export { importLogs, type ImportOptions, type ImportReport, type LogImport } from "./import-logs.ts";
export type { ReportedRun } from "./import-warnings.ts";
export type { ProtocolDifference } from "./protocol-differences.ts";
export {
  COLUMN_ROLES,
  type ImportedTable,
  parseTableColumns,
  readLongTable,
  type TableColumns,
} from "./read-long-table.ts";
export { readRouterDc } from "./router-dc.ts";
