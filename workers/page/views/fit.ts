import { AnchorEvalError, type Bundle } from "anchoreval";
import { wholePercent } from "anchoreval/internal/words/figures";
import { exampleLeaderboard, freshSeed } from "../examples.ts";
import { runFit, type FittedFiles } from "../run-fit.ts";
import { zip } from "../zip.ts";
import { itemMapFigure } from "../charts.ts";
import {
  announcer,
  type Child,
  download,
  element,
  fill,
  freshId,
  idText,
  paragraph,
  code,
  button,
  submitForm,
} from "../dom.ts";
import { bytesText, firstFew, section } from "../parts/content.ts";
import { dropZone } from "../parts/fields.ts";
import { problem } from "../parts/problem.ts";
import { bundleHref } from "../route.ts";
import type { Session, View } from "../session.ts";

/** Fits a bundle from a leaderboard: `anchoreval fit` in the browser. */
export function fitView(session: Session): View {
  let responses: File | null = null;
  let items: File | null = null;
  let running: AbortController | null = null;
  const chosen = element("div", { "aria-live": "polite" });
  const results = element("div", { class: "results" });
  const heard = announcer();
  const name = field("Name of the benchmark", {
    value: "mine",
    required: true,
    pattern: "[a-z0-9][a-z0-9._\\-]{0,63}",
  });
  const version = field("Version", { value: "1.0.0", required: true });
  const anchors = field(
    "Items to ask, per scenario",
    { value: "20,50", required: true },
    "One form for each number; smaller scenarios are asked whole.",
  );
  const seed = field("Random seed", { type: "number", min: 0, step: 1, value: 1 });
  const providerId = freshId("provider");
  const provider = element(
    "select",
    { id: providerId },
    element("option", { value: "auto" }, "automatic"),
    element("option", { value: "webgpu" }, "WebGPU"),
    element("option", { value: "wasm" }, "WebAssembly"),
  );
  const stop = element("button", { type: "button", class: "quiet", hidden: true, onclick: () => stopFit() }, "Stop");
  const start = element("button", { type: "submit" }, "Fit");
  const showChosen = (): void =>
    fill(
      chosen,
      [responses, items].map((file, k) =>
        file === null
          ? null
          : paragraph("hint", k === 0 ? "Scores: " : "Items: ", idText(file.name), `, ${bytesText(file.size)}`),
      ),
    );

  const stopFit = (): void => running?.abort();

  const run = async (): Promise<void> => {
    if (running !== null) return;
    if (responses === null) {
      fill(
        results,
        problem(new AnchorEvalError("invalid_data", "choose a table of scores first, or try a made-up one")),
      );
      return;
    }
    running = new AbortController();
    addEventListener("hashchange", stopFit, { once: true });
    heard.say("Fitting.");
    stop.hidden = false;
    start.disabled = true;
    const bar = element("progress", { max: 1, value: 0, "aria-label": "Progress of the fit" });
    const note = paragraph("hint", "Reading …");
    const remarks = element("ul", { class: "hint" });
    fill(results, element("h2", {}, "Fitting"), bar, note, remarks);
    try {
      const fitted = await runFit(
        {
          responses,
          items,
          benchmark: name.input.value.trim(),
          version: version.input.value.trim(),
          anchors: readSizes(anchors.input.value),
          seed: Number(seed.input.value),
          provider: provider.value as "auto" | "webgpu" | "wasm",
        },
        {
          signal: running.signal,
          onProgress: (share, words) => {
            bar.value = share;
            note.textContent = `${wholePercent(share)} · ${words}`;
          },
          onRemark: (message) => remarks.append(element("li", {}, message)),
        },
      );
      const bundle = await session.give(fitted.files);
      heard.say("The bundle is ready.");
      fill(
        results,
        fittedContent(bundle, fitted),
        element("details", {}, element("summary", {}, "How it was computed"), remarks),
      );
    } catch (error) {
      fill(results, problem(error));
    } finally {
      removeEventListener("hashchange", stopFit);
      running = null;
      stop.hidden = true;
      start.disabled = false;
    }
  };

  return {
    title: "Fit your own",
    content: [
      element("h1", {}, "Fit a bundle in your browser"),
      paragraph(
        "lead",
        "Turns the scores of many models on all items of a benchmark into a bundle that needs only a few of the items. Nothing leaves your machine. The command line is faster for large leaderboards.",
      ),
      submitForm(
        run,
        element(
          "div",
          { class: "pair" },
          dropZone({
            label: "Scores of many models",
            hint: [
              "A table: ",
              code("model,<item id>…"),
              ", one row per model, scores from 0 to 1, empty cells for missing ones. Or a long table, JSON lines or Parquet; .gz too.",
            ],
            onFiles: ([file]) => {
              responses = file!;
              showChosen();
            },
          }),
          dropZone({
            label: "Items with their scenarios (optional)",
            hint: [
              "JSON lines with ",
              code("item_id"),
              " and ",
              code("scenario"),
              ". Without them, the scenario is the part of an id before its last “/”.",
            ],
            onFiles: ([file]) => {
              items = file!;
              showChosen();
            },
          }),
        ),
        chosen,
        element("div", { class: "fields" }, name.content, version.content, anchors.content),
        element(
          "details",
          {},
          element("summary", {}, "Seed and device"),
          element(
            "div",
            { class: "fields" },
            seed.content,
            element("div", { class: "field" }, element("label", { for: providerId }, "Compute on"), provider),
          ),
        ),
        paragraph(
          "actions",
          start,
          button(
            "quiet",
            () => {
              responses = exampleLeaderboard(freshSeed());
              items = null;
              showChosen();
              void run();
            },
            "Try with a made-up leaderboard",
          ),
          stop,
        ),
      ),
      heard.content,
      results,
    ],
  };
}

function fittedContent(bundle: Bundle, { files, words }: FittedFiles): Child {
  const { benchmark, version, defaultForm } = bundle.manifest;
  return [
    element("h2", {}, "The bundle"),
    element(
      "ul",
      {},
      words.map((line) => element("li", {}, line)),
    ),
    paragraph(
      "actions",
      element("a", { class: "button", href: bundleHref("given") }, "Open it"),
      element("a", { class: "button quiet", href: bundleHref("given", "score") }, "Score a model with it"),
      button(
        "quiet",
        () => {
          const folder = `${benchmark}-${version}`;
          void zip(folder, files).then((archive) => download(archive, `${folder}.zip`));
        },
        "Download it",
      ),
    ),
    paragraph(
      "hint",
      "The unpacked folder is an ordinary bundle: ",
      code("anchoreval publish DIR"),
      " puts it on a Worker. It has no report.html, which only the command line writes.",
    ),
    section(
      "Its items",
      firstFew([...bundle.scenarios.values()], { most: 4, noun: "scenario" }, (own) => itemMapFigure(own, defaultForm)),
    ),
  ];
}

interface Field {
  readonly content: HTMLElement;
  readonly input: HTMLInputElement;
}

function field(label: string, attributes: Parameters<typeof element>[1], hint?: string): Field {
  const id = freshId("field");
  const input = element("input", {
    id,
    autocomplete: "off",
    ...attributes,
    ...(hint !== undefined && { "aria-describedby": `${id}-hint` }),
  });
  return {
    input,
    content: element(
      "div",
      { class: "field" },
      element("label", { for: id }, label),
      input,
      hint === undefined ? null : element("p", { class: "hint", id: `${id}-hint` }, hint),
    ),
  };
}

/** @throws AnchorEvalError `invalid_option` */
function readSizes(text: string): number[] {
  const sizes = text
    .split(/[\s,;]+/)
    .filter((part) => part !== "")
    .map(Number);
  if (sizes.length === 0 || sizes.some((size) => !Number.isInteger(size) || size < 1))
    throw new AnchorEvalError("invalid_option", `the items to ask must be whole numbers such as 20,50; got ${text}`);
  return sizes;
}
