/**
 * Charts of a bundle as descriptions that Observable Plot draws, and what stands in them. What they look like, and these
 * names, may change in any version before 1.0.
 * @module anchoreval/charts
 */
export {
  chartMark,
  extent,
  PANEL_WIDTH,
  placeAxis,
  plotMarks,
  thin,
  valueAxis,
  type Chart,
  type ChartMark,
  type ChartScale,
  type MarkName,
} from "./chart.ts";
export {
  coverageChart,
  coverageInterval,
  coverageKinds,
  coverageSeries,
  lowestCoverage,
  type CoverageKind,
  type CoveragePoint,
  type CoverageSeries,
} from "./coverage.ts";
export { errorBySizeChart, type ErrorLine, type ErrorPoint } from "./error-by-size.ts";
export { DIFFICULTY_LIMIT, itemMapChart, shownParameters, type ItemMap, type ShownParameters } from "./item-map.ts";
export {
  comparableForms,
  formTotals,
  itemTotal,
  measuredScenarios,
  type MeasuredForm,
  type MeasuredManifest,
  type MeasuredScenario,
} from "./measured-forms.ts";
export { sourceStripChart, type SourceStripOptions } from "./source-strip.ts";
