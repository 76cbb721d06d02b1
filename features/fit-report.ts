import type { ReportPart } from "../offline-trainer/src/report/report-data.ts";
import { reportItems } from "./audit/fit/report-items.ts";

/** The features' sections of a fit's report. */
export const REPORT_PARTS: readonly ReportPart[] = [reportItems];
