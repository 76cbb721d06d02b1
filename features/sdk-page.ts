/** Charts that the page draws, words and messages that it has, of the features that have any. */
export type { FitReply, FitRequest } from "./browser-fit/sdk.ts";
export {
  type Chart,
  PANEL_WIDTH,
  chartMark,
  extent,
  intervalBar,
  margins,
  placeAxis,
  plotMarks,
  valueAxis,
} from "./charts/sdk/chart.ts";
export { coverageChart, coverageKinds, coverageSeries, lowestCoverage } from "./charts/sdk/coverage.ts";
export { type ErrorLine, errorBySizeChart } from "./charts/sdk/error-by-size.ts";
export { itemMapChart, shownParameters } from "./charts/sdk/item-map.ts";
export { sourceStripChart } from "./charts/sdk/source-strip.ts";
export { differenceWords, mcNemarWords, OVER_MEANING, verdictWords } from "./compare/sdk/verdict-words.ts";
