import { WORDS } from "anchoreval/internal/features/sdk-facts";
import { reportItems } from "./audit/fit/report-items.ts";
import { reportWith } from "./report/fit/render-report.ts";

/** report.html of a fit, with the features' sections and sentences. */
export const renderReport = reportWith({ sections: [reportItems], words: WORDS });
