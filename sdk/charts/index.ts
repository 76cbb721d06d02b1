/**
 * Charts of a bundle as descriptions that Observable Plot draws, and what stands in them. What they look like, and these
 * names, may change in any version before 1.0.
 * @module anchoreval/charts
 */
export {
  chartMark,
  PANEL_WIDTH,
  placeAxis,
  plotMarks,
  valueAxis,
  type Chart,
  type ChartMark,
  type ChartScale,
  type MarkName,
} from "./chart.ts";
export { coverageChart, coverageKinds, lowestCoverage, type CoverageKind } from "./coverage.ts";
export { coverageInterval } from "./coverage.ts";
export { coverageSeries, type CoveragePoint, type CoverageSeries } from "./coverage.ts";
export { errorBySizeChart, type ErrorLine, type ErrorPoint } from "./error-by-size.ts";
export { extent } from "./chart.ts";
export { itemMapChart, type ItemMap } from "./item-map.ts";
export {
  comparableForms,
  formTotals,
  itemTotal,
  measuredScenarios,
  type MeasuredForm,
  type MeasuredManifest,
  type MeasuredScenario,
} from "./measured-forms.ts";
export { DIFFICULTY_LIMIT, shownParameters, type ShownParameters } from "./item-map.ts";
export { sourceStripChart, type SourceStripOptions } from "./source-strip.ts";
export { thin } from "./chart.ts";
