import type { BenchmarkSummary } from "anchoreval";
import { counted } from "anchoreval/words";
import { element, fill, idText, type Child } from "../dom.ts";
import type { View } from "../view.ts";
import { dropZone } from "../parts/drop-zone.ts";
import { section } from "../parts/facts.ts";
import { problem } from "../parts/problem.ts";
import { tokenForm } from "../parts/token-form.ts";
import { benchmarkHref, bundleHref } from "../route.ts";
import type { Session } from "../session.ts";

/** What is published here, and a way in for bundles that aren't. */
export async function homeView(session: Session, refresh: () => void): Promise<View> {
  const benchmarks = await session.client.bundles.list();
  return {
    title: "anchoreval",
    content: [
      element("h1", {}, "A whole benchmark’s score from a few dozen answers"),
      element(
        "p",
        { class: "lead" },
        "Choose a benchmark, ask your model the items of one of its forms, and drop the answers here: you get the score that it would have on all items, and an interval that says how sure that is.",
      ),
      section("Benchmarks", list(benchmarks)),
      element(
        "details",
        { class: "aside", open: session.hasToken },
        element(
          "summary",
          {},
          session.hasToken ? "A token is in use" : "A benchmark is missing? Protected ones take a token",
        ),
        tokenForm(session, refresh),
      ),
      section("A bundle of your own", givenBundle(session)),
    ],
  };
}

function list(benchmarks: readonly BenchmarkSummary[]): Child {
  if (benchmarks.length === 0)
    return element(
      "p",
      { class: "missing" },
      "Nothing is published on this Worker yet, or what is takes a token. ",
      element("code", {}, "anchoreval publish DIR --to …"),
      " puts a bundle here.",
    );
  return element(
    "ul",
    { class: "cards" },
    benchmarks.map(({ benchmark, latest, versions, yanked }) => {
      const others = [
        counted(versions.length, "version"),
        ...(yanked.length > 0 ? [`${yanked.length} taken back`] : []),
      ].join(", ");
      const href = latest === null ? benchmarkHref(benchmark) : bundleHref({ benchmark, version: latest });
      return element(
        "li",
        {},
        element("a", { class: "name", href }, idText(benchmark)),
        element("p", {}, latest === null ? "no version is offered" : `latest ${latest}`),
        element("p", {}, element("a", { href: benchmarkHref(benchmark) }, others)),
      );
    }),
  );
}

/** A bundle's folder, as `anchoreval fit` writes it. */
function givenBundle(session: Session): Child {
  const state = element("div", { "aria-live": "polite" });
  const open = (files: readonly File[]): void => {
    fill(state, element("p", { class: "hint" }, "Reading …"));
    session.give(new Map(files.map((file) => [file.name, file]))).then(
      () => (location.hash = bundleHref("given")),
      (error: unknown) => fill(state, problem(error)),
    );
  };
  return [
    element(
      "p",
      {},
      "Drop the folder that ",
      element("code", {}, "anchoreval fit --out"),
      " wrote, or its files ",
      element("code", {}, "manifest.json"),
      ", ",
      element("code", {}, "parameters.safetensors"),
      " and ",
      element("code", {}, "anchors.jsonl"),
      ". It isn’t uploaded.",
    ),
    dropZone({ label: "Choose or drop a bundle’s folder", hint: "stays on this machine", folder: true, onFiles: open }),
    state,
  ];
}
