import { AnchorEvalError, type BenchmarkSummary } from "anchoreval";
import { compareVersions } from "anchoreval/internal/core/bundle/names";
import type { Manifest } from "anchoreval/bundle";
import { listedForm, typicalError } from "anchoreval/internal/words/measured-forms";
import { sizeWords } from "anchoreval/internal/words/bundle-words";
import { counted, points } from "anchoreval/internal/words/figures";
import { bullets, type Child, details, element, fill, idText, prose } from "../parts/dom.ts";
import { cardPoints, inline } from "../parts/card.ts";
import { section, table } from "../parts/content.ts";
import { dropZone } from "../parts/fields.ts";
import { problem, tokenForm } from "../parts/problem.ts";
import { benchmarkHref, bundleHref } from "../parts/route.ts";
import type { Session, View } from "../parts/session.ts";

export async function homeView(session: Session, refresh: () => void): Promise<View> {
  const benchmarks = await session.client.bundles.list();
  const aboutToken = session.hasToken ? "A token is in use" : "A benchmark is missing? Protected ones require a token";
  return {
    title: "anchoreval",
    content: [
      element("h1", "A whole benchmark’s score from a few dozen answers"),
      element(
        "p.lead",
        "Choose a benchmark, ask your model the items of one of its forms, and drop the answers here: you get the score that it would have on all items, with an interval.",
      ),
      section("Benchmarks", list(session, benchmarks)),
      element("details.aside", { open: session.hasToken }, [
        element("summary", aboutToken),
        tokenForm(session, refresh),
      ]),
      section("A bundle of your own", givenBundle(session)),
    ],
  };
}

/** A card a benchmark; what its newest bundle measured is filled in when the manifest has come. */
function list(session: Session, benchmarks: readonly BenchmarkSummary[]): Child {
  if (benchmarks.length === 0)
    return element(
      "p.missing",
      prose(
        "Nothing is published on this Worker, or nothing that can be read without a token. `anchoreval publish DIR --to …` puts a bundle here.",
      ),
    );
  return bullets(
    benchmarks.map(({ benchmark, latest, versions, yanked }) => {
      const others = `${counted(versions.length, "version")}${yanked.length > 0 ? `, ${yanked.length} yanked` : ""}`;
      const name = (href: string): Child => element("a.name", { href }, idText(benchmark));
      const all = element("a", { href: benchmarkHref(benchmark) }, others);
      if (latest === null)
        return [name(benchmarkHref(benchmark)), element("p", "no stable version"), element("p", all)];
      const place = { benchmark, version: latest };
      const facts = element("p.facts-line");
      session.client.bundles.manifest(place).then(
        (manifest) => manifest && fill(facts, factWords(manifest)),
        (error: unknown) => fill(facts, error instanceof AnchorEvalError ? error.message : String(error)),
      );
      const card = element("div");
      void session.card(place).then(
        (text) => text !== null && fill(card, cardDetails(text)),
        () => undefined, // what keeps a bundle from being read is said above
      );
      const tryIt = element("a", { href: bundleHref(place, "score") }, "Score a model");
      return [name(bundleHref(place)), facts, card, element("p", tryIt, ` · ${latest} · `, all)];
    }),
    "ul.cards",
  );
}

/** Items, models with the newest one's date, the error that `anchoreval show` lists, and the licence of the data. */
function factWords(manifest: Manifest): string {
  const { data } = manifest;
  const shown = listedForm(manifest);
  const error = typicalError(shown);
  const errorPart = shown.whole
    ? "no error"
    : error === null
      ? "an error that wasn’t measured"
      : `${points(error)} points of error`;
  const licence = data.licence === null ? "" : `; licence ${data.licence}`;
  return `${sizeWords(manifest)}; ${errorPart} after ${counted(shown.items, "answer")}${licence}`;
}

/** A bundle's card without its figures, and without what counts for a run of one's own. */
function cardDetails(text: string): Child {
  const said = cardPoints(text).filter((point) => !/^\*\*(Protocol|Ids)\b/.test(point));
  return said.length === 0 ? null : details("Who measured it, and what it is good for", bullets(said.map(inline)));
}

function givenBundle(session: Session): Child {
  const state = element("div", { "aria-live": "polite" });
  const open = (files: readonly File[]): void => {
    fill(state, element("p.hint", "Reading …"));
    session.give(new Map(files.map((file) => [file.name, file]))).then(
      () => (location.hash = bundleHref("given")),
      (error: unknown) => fill(state, problem(error)),
    );
  };
  return [
    element(
      "p",
      prose(
        "Drop the folder that `anchoreval fit --out` wrote, or its files `manifest.json`, `parameters.safetensors` and `anchors.jsonl`. Nothing is uploaded.",
      ),
    ),
    dropZone({ label: "Choose or drop a bundle’s folder", hint: "stays on this machine", folder: true, onFiles: open }),
    state,
  ];
}

export async function benchmarkView(session: Session, benchmark: string): Promise<View> {
  const summary = await session.client.bundles.benchmark(benchmark);
  if (summary === null) throw new AnchorEvalError("not_found", `no benchmark ${benchmark} is published here`);
  const all: { version: string; digest: string; reason?: string }[] = [
    ...summary.versions,
    ...summary.yanked.map((version) => ({ ...version, reason: version.reason ?? "" })),
  ];
  const badge = (version: string, reason: string | undefined): Child => {
    if (reason === undefined) return version === summary.latest ? element("span.badge", "latest") : "";
    return element("span.badge.bad", "yanked", reason === "" ? null : element("span.reason", `: ${reason}`));
  };
  const rows = all
    .sort((x, y) => compareVersions(y.version, x.version))
    .map(({ version, digest, reason }) => [
      element("a", { href: bundleHref({ benchmark, version }) }, version),
      badge(version, reason),
      element("code", { title: digest }, digest.replace(/^sha256:/, "").slice(0, 12)),
    ]);
  return {
    title: benchmark,
    content: [
      element("h1", idText(benchmark)),
      element(
        "p.lead",
        "A version never changes. Scores of versions with the same first number are comparable: they are of the same items.",
      ),
      table(`Versions of ${benchmark}`, ["version", "state", "digest"], rows),
      element("p.hint", "Yanked versions still answer by their number; use a newer one for new evaluations."),
    ],
  };
}
