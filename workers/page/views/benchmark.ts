import { AnchorEvalError } from "anchoreval";
import { compareVersions } from "anchoreval/bundle";
import { element, idText } from "../dom.ts";
import type { View } from "../view.ts";
import { table } from "../parts/table.ts";
import { bundleHref } from "../route.ts";
import type { Session } from "../session.ts";

/** A benchmark's versions, the newest first; those that were taken back are marked. */
export async function benchmarkView(session: Session, benchmark: string): Promise<View> {
  const summary = await session.client.bundles.benchmark(benchmark);
  if (summary === null) throw new AnchorEvalError("not_found", `no benchmark ${benchmark} is published here`);
  const { latest, versions, yanked } = summary;
  const all = [
    ...versions.map((own) => ({ ...own, taken: null })),
    ...yanked.map((own) => ({ ...own, taken: own.reason ?? "" })),
  ];
  all.sort((x, y) => compareVersions(y.version, x.version));
  return {
    title: benchmark,
    content: [
      element("h1", {}, idText(benchmark)),
      element(
        "p",
        { class: "lead" },
        "A version never changes. Scores of versions with the same first number compare: they are of the same items.",
      ),
      table(
        `Versions of ${benchmark}`,
        [{ title: "version" }, { title: "state" }, { title: "digest" }],
        all.map(({ version, digest, taken }) => [
          element("a", { href: bundleHref({ benchmark, version }) }, version),
          taken !== null
            ? element(
                "span",
                { class: "badge bad" },
                "taken back",
                taken === "" ? null : element("span", { class: "reason" }, `: ${taken}`),
              )
            : version === latest
              ? element("span", { class: "badge" }, "latest")
              : "",
          element("code", { title: digest }, digest.replace(/^sha256:/, "").slice(0, 12)),
        ]),
      ),
      element(
        "p",
        { class: "hint" },
        "Versions that were taken back still answer by their number; use a newer one for new evaluations.",
      ),
    ],
  };
}
