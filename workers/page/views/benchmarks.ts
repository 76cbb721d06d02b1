import { AnchorEvalError, type BenchmarkSummary } from "anchoreval";
import { compareVersions } from "anchoreval/internal/core/bundle/names";
import { counted } from "anchoreval/internal/words/figures";
import { type Child, element, fill, idText, paragraph, code } from "../dom.ts";
import { section, table } from "../parts/content.ts";
import { dropZone } from "../parts/fields.ts";
import { problem, tokenForm } from "../parts/problem.ts";
import { benchmarkHref, bundleHref } from "../route.ts";
import type { Session, View } from "../session.ts";

/** The published benchmarks, and a field for a bundle of one's own. */
export async function homeView(session: Session, refresh: () => void): Promise<View> {
  const benchmarks = await session.client.bundles.list();
  return {
    title: "anchoreval",
    content: [
      element("h1", {}, "A whole benchmark’s score from a few dozen answers"),
      paragraph(
        "lead",
        "Choose a benchmark, ask your model the items of one of its forms, and drop the answers here: you get the score that it would have on all items, with an interval.",
      ),
      section("Benchmarks", list(benchmarks)),
      element(
        "details",
        { class: "aside", open: session.hasToken },
        element(
          "summary",
          {},
          session.hasToken ? "A token is in use" : "A benchmark is missing? Protected ones require a token",
        ),
        tokenForm(session, refresh),
      ),
      section("A bundle of your own", givenBundle(session)),
    ],
  };
}

function list(benchmarks: readonly BenchmarkSummary[]): Child {
  if (benchmarks.length === 0)
    return paragraph(
      "missing",
      "Nothing is published on this Worker, or nothing that can be read without a token. ",
      code("anchoreval publish DIR --to …"),
      " puts a bundle here.",
    );
  return element(
    "ul",
    { class: "cards" },
    benchmarks.map(({ benchmark, latest, versions, yanked }) => {
      const others = [
        counted(versions.length, "version"),
        ...(yanked.length > 0 ? [`${yanked.length} yanked`] : []),
      ].join(", ");
      const href = latest === null ? benchmarkHref(benchmark) : bundleHref({ benchmark, version: latest });
      return element(
        "li",
        {},
        element("a", { class: "name", href }, idText(benchmark)),
        element("p", {}, latest === null ? "no stable version" : `latest ${latest}`),
        element("p", {}, element("a", { href: benchmarkHref(benchmark) }, others)),
      );
    }),
  );
}

/** A field for the folder that `anchoreval fit` writes. */
function givenBundle(session: Session): Child {
  const state = element("div", { "aria-live": "polite" });
  const open = (files: readonly File[]): void => {
    fill(state, paragraph("hint", "Reading …"));
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
      code("anchoreval fit --out"),
      " wrote, or its files ",
      code("manifest.json"),
      ", ",
      code("parameters.safetensors"),
      " and ",
      code("anchors.jsonl"),
      ". Nothing is uploaded.",
    ),
    dropZone({ label: "Choose or drop a bundle’s folder", hint: "stays on this machine", folder: true, onFiles: open }),
    state,
  ];
}

/** A benchmark's versions, the newest first; yanked ones are marked. */
export async function benchmarkView(session: Session, benchmark: string): Promise<View> {
  const summary = await session.client.bundles.benchmark(benchmark);
  if (summary === null) throw new AnchorEvalError("not_found", `no benchmark ${benchmark} is published here`);
  const { latest, versions, yanked } = summary;
  const all = [
    ...versions.map((own) => ({ ...own, reason: null })),
    ...yanked.map((own) => ({ ...own, reason: own.reason ?? "" })),
  ];
  all.sort((x, y) => compareVersions(y.version, x.version));
  return {
    title: benchmark,
    content: [
      element("h1", {}, idText(benchmark)),
      paragraph(
        "lead",
        "A version never changes. Scores of versions with the same first number are comparable: they are of the same items.",
      ),
      table(
        `Versions of ${benchmark}`,
        [{ title: "version" }, { title: "state" }, { title: "digest" }],
        all.map(({ version, digest, reason }) => [
          element("a", { href: bundleHref({ benchmark, version }) }, version),
          reason !== null
            ? element(
                "span",
                { class: "badge bad" },
                "yanked",
                reason === "" ? null : element("span", { class: "reason" }, `: ${reason}`),
              )
            : version === latest
              ? element("span", { class: "badge" }, "latest")
              : "",
          element("code", { title: digest }, digest.replace(/^sha256:/, "").slice(0, 12)),
        ]),
      ),
      paragraph("hint", "Yanked versions still answer by their number; use a newer one for new evaluations."),
    ],
  };
}
