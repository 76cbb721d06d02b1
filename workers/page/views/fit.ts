import { invalidOption } from "anchoreval/internal/core/errors";
import { AnchorEvalError, type AnchorEvalErrorCode, type Bundle } from "anchoreval";
import type { FitReply, FitRequest } from "anchoreval/internal/features/sdk-page";
import { wholePercent } from "anchoreval/internal/words/figures";
import { exampleLeaderboard, freshSeed } from "../parts/examples.ts";
import { zip } from "./zip.ts";
import { itemMapFigure } from "../parts/charts.ts";
import {
  announcer,
  type Child,
  bullets,
  button,
  details,
  download,
  element,
  fill,
  idText,
  labelled,
  prose,
  submitting,
} from "../parts/dom.ts";
import { bytesText, firstFew, section } from "../parts/content.ts";
import { dropZone } from "../parts/fields.ts";
import { problem } from "../parts/problem.ts";
import { bundleHref } from "../parts/route.ts";
import type { Session, View } from "../parts/session.ts";

export function fitView(session: Session): View {
  let responses: File | null = null;
  let items: File | null = null;
  let running: AbortController | null = null;
  const chosen = element("div", { "aria-live": "polite" });
  const results = element("div.results");
  const heard = announcer();
  const input = (attributes: Record<string, string | number | boolean>): HTMLInputElement =>
    element("input", { autocomplete: "off", ...attributes });
  const name = input({ value: "mine", required: true, pattern: "[a-z0-9][a-z0-9._\\-]{0,63}" });
  const version = input({ value: "1.0.0", required: true });
  const anchors = input({ value: "20,50", required: true });
  const seed = input({ type: "number", min: 0, step: 1, value: 1 });
  const provider = element("select", [
    element("option", { value: "auto" }, "automatic"),
    element("option", { value: "webgpu" }, "WebGPU"),
    element("option", { value: "wasm" }, "WebAssembly"),
  ]);
  const stopFit = (): void => running?.abort();
  const stop = button("quiet", "Stop", stopFit);
  stop.hidden = true;
  const start = element("button", { type: "submit" }, "Fit");
  const choose = (newResponses: File | null, newItems: File | null): void => {
    [responses, items] = [newResponses, newItems];
    const shown = (title: string, file: File | null): Child =>
      file && element("p.hint", title, idText(file.name), `, ${bytesText(file.size)}`);
    fill(chosen, shown("Scores: ", responses), shown("Items: ", items));
  };

  const run = async (): Promise<void> => {
    if (running !== null) return;
    if (responses === null) {
      const message = "choose a table of scores first, or try a made-up one";
      fill(results, problem(new AnchorEvalError("invalid_data", message)));
      return;
    }
    running = new AbortController();
    addEventListener("hashchange", stopFit, { once: true });
    heard.say("Fitting.");
    stop.hidden = false;
    start.disabled = true;
    const bar = element("progress", { max: 1, value: 0, "aria-label": "Progress of the fit" });
    const note = element("p.hint", "Reading …");
    const remarks = element("ul.hint");
    fill(results, element("h2", "Fitting"), bar, note, remarks);
    try {
      const fitted = await runFit(
        {
          responses,
          items,
          benchmark: name.value.trim(),
          version: version.value.trim(),
          anchors: readSizes(anchors.value),
          seed: Number(seed.value),
          provider: provider.value as FitRequest["provider"],
        },
        {
          signal: running.signal,
          onProgress: (share, words) => {
            bar.value = share;
            note.textContent = `${wholePercent(share)} · ${words}`;
          },
          onRemark: (message) => remarks.append(element("li", message)),
        },
      );
      const bundle = await session.give(fitted.files);
      heard.say("The bundle is ready.");
      fill(results, fittedContent(bundle, fitted), details("How it was computed", remarks));
    } catch (error) {
      fill(results, problem(error));
    } finally {
      removeEventListener("hashchange", stopFit);
      running = null;
      stop.hidden = true;
      start.disabled = false;
    }
  };

  const scoresZone = dropZone({
    label: "Scores of many models",
    hint: prose(
      "A table: `model,<item id>…`, one row per model, scores from 0 to 1, empty cells for missing ones. Or a long table, JSON lines or Parquet; .gz too.",
    ),
    onFiles: ([file]) => choose(file, items),
  });
  const itemsZone = dropZone({
    label: "Items with their scenarios (optional)",
    hint: prose(
      "JSON lines with `item_id` and `scenario`. Without them, the scenario is the part of an id before its last “/”.",
    ),
    onFiles: ([file]) => choose(responses, file),
  });
  const example = button("quiet", "Try with a made-up leaderboard", () => {
    choose(exampleLeaderboard(freshSeed()), null);
    void run();
  });
  const field = (label: string, control: HTMLElement, hint?: string): HTMLElement =>
    element("div.field", labelled(label, control, hint));
  return {
    title: "Fit your own",
    content: [
      element("h1", "Fit a bundle in your browser"),
      element(
        "p.lead",
        "Turns the scores of many models on all items of a benchmark into a bundle that needs only a few of the items. Nothing leaves your machine. The command line is faster for large leaderboards.",
      ),
      element("form", { onsubmit: submitting(() => void run()) }, [
        element("div.pair", scoresZone, itemsZone),
        chosen,
        element("div.fields", [
          field("Name of the benchmark", name),
          field("Version", version),
          field("Items to ask, per scenario", anchors, "One form for each number; smaller scenarios are asked whole."),
        ]),
        details("Seed and device", element("div.fields", field("Random seed", seed), field("Compute on", provider))),
        element("p.actions", start, example, stop),
      ]),
      heard.content,
      results,
    ],
  };
}

function fittedContent({ manifest, scenarios }: Bundle, { files, words }: FittedFiles): Child {
  const folder = `${manifest.benchmark}-${manifest.version}`;
  const keep = async (): Promise<void> => download(await zip(folder, files), `${folder}.zip`);
  return [
    element("h2", "The bundle"),
    bullets(words),
    element("p.actions", [
      element("a.button", { href: bundleHref("given") }, "Open it"),
      element("a.button.quiet", { href: bundleHref("given", "score") }, "Score a model with it"),
      button("quiet", "Download it", () => void keep()),
    ]),
    element(
      "p.hint",
      prose(
        "The unpacked folder is an ordinary bundle: `anchoreval publish DIR` puts it on a Worker. It has no report.html, which only the command line writes.",
      ),
    ),
    section(
      "Its items",
      firstFew([...scenarios.values()], { most: 4, noun: "scenario" }, (scenario) =>
        itemMapFigure(scenario, manifest.defaultForm),
      ),
    ),
  ];
}

function readSizes(text: string): number[] {
  const sizes = text
    .split(/[\s,;]+/)
    .filter((part) => part !== "")
    .map(Number);
  if (sizes.length === 0 || sizes.some((size) => !Number.isInteger(size) || size < 1))
    throw invalidOption(`the items to ask must be whole numbers such as 20,50; got ${text}`);
  return sizes;
}

interface FittedFiles {
  readonly files: ReadonlyMap<string, Blob>;
  /** The bundle's accuracy, one sentence per form and scenario. */
  readonly words: readonly string[];
}

interface RunFitOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (share: number, note: string) => void;
  readonly onRemark: (message: string) => void;
}

/**
 * Fits a bundle in a web worker, which loads ONNX Runtime.
 * @throws AnchorEvalError errors of the fit; `aborted`; `unavailable` if the worker doesn't start
 */
function runFit(request: FitRequest, { signal, onProgress, onRemark }: RunFitOptions): Promise<FittedFiles> {
  const worker = new Worker("/fit.js", { type: "module" });
  return new Promise<FittedFiles>((resolve, reject) => {
    signal.addEventListener("abort", () => reject(new AnchorEvalError("aborted", "the fit was stopped")));
    worker.onerror = (event) =>
      reject(new AnchorEvalError("unavailable", `the fit can't run in this browser: ${event.message || "no worker"}`));
    worker.onmessage = ({ data }: MessageEvent<FitReply>) => {
      switch (data.kind) {
        case "remark":
          onRemark(data.message);
          break;
        case "progress":
          onProgress(data.share, data.note);
          break;
        case "failed":
          reject(toError(data));
          break;
        case "done": {
          const files = new Map(data.files.map(([name, bytes]) => [name, new Blob([bytes])]));
          resolve({ files, words: data.words });
        }
      }
    };
    worker.postMessage(request);
  }).finally(() => worker.terminate());
}

function toError({ code, message, issues }: Extract<FitReply, { readonly kind: "failed" }>): Error {
  return code === null ? new Error(message) : new AnchorEvalError(code as AnchorEvalErrorCode, message, { issues });
}
