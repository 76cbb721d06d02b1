import { type ExportTarget, listTarget } from "../cli/src/bundles/export-target.ts";
import { bfclExport } from "./bfcl/cli.ts";
import { evalPlusExport } from "./evalplus/cli.ts";
import { liveCodeBenchExport } from "./livecodebench/cli.ts";
import { sweBenchExport } from "./swe-bench/cli.ts";
import { terminalBenchExport } from "./terminal-bench/cli.ts";

/** The features' harnesses that anchors can be exported to. HELM and OpenCompass have no option for single samples. */
export const EXPORTS: Readonly<Record<string, ExportTarget>> = {
  helm: listTarget("instance ids by run", ".helm.json", "instances"),
  opencompass: listTarget("numbers by dataset", ".opencompass.json", "samples"),
  "swe-bench": sweBenchExport,
  "terminal-bench": terminalBenchExport,
  livecodebench: liveCodeBenchExport,
  evalplus: evalPlusExport,
  bfcl: bfclExport,
};
