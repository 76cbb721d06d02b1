import { loadAdaptive } from "anchoreval/internal/features/adaptive/sdk/item-pool";
import { raceFromPool, type Race, type RacedCandidate } from "anchoreval/internal/features/adaptive/sdk/race";
import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import { count, counted, listed, percent, points } from "anchoreval/internal/words/figures";
import { type CommandInput } from "../../../cli/src/program/command.ts";
import { writeOver } from "../../../cli/src/program/errors.ts";
import { openBundle } from "../../../cli/src/bundles/open-bundle.ts";
import { answersName, estimateOptions, readAnswersAt } from "../../../cli/src/options/answers.ts";
import { readPoints, readScale } from "../../../cli/src/options/scale.ts";
import { addSummary, plainLines, readSideFile, type ResultParts } from "../../../cli/src/program/summary.ts";
import { warningLines } from "../../../cli/src/program/output.ts";

/** `compare --race`: candidates by their files of answers, round after round. */
export async function race({ options, output, signal }: CommandInput): Promise<void> {
  options.refuse(["a", "b"], "is for two models: name the candidates' files alone");
  options.refuse(["form"], "isn't for a race, which asks the items of the whole benchmark in its own order");
  options.refuse(["from", "metric", "filter", "items"], "isn't for a race, which reads files of answers");
  options.refuse(["verbose"], "isn't for a race");
  const paths = options.texts("responses");
  if (paths.length < 2) throw invalidOption("--race needs two PATHs or more, the answers of a candidate each");
  const margin = readPoints(options, "margin", { min: 0 });
  const { level, ...shared } = estimateOptions(options);
  const over = options.oneOf("over", ["tasks", "these-answers"], "tasks");
  const files = { next: await readSideFile(options, "next"), summary: await readSideFile(options, "summary") };
  const candidates = [];
  for (const path of paths) candidates.push({ name: answersName(path), ...(await candidateAnswers(path)) });
  const pool = await loadAdaptive(openBundle(options.required("bundle")), { signal });
  const standings = raceFromPool(pool, candidates, { ...shared, level, over, ...(margin !== undefined && { margin }) });
  const { next, summary } = files;
  if (next !== undefined) {
    const ids = standings.candidates
      .filter(({ next: items }) => items.length > 0)
      .map(({ name, next: items }) => [name, items]);
    await writeOver(next, `${JSON.stringify(Object.fromEntries(ids), null, 1)}\n`);
  }
  const parts = raceParts(standings);
  output.result(standings, plainLines(parts));
  await addSummary(
    summary,
    `${standings.benchmark} ${standings.version}: race of ${standings.candidates.length}`,
    parts,
  );

  async function candidateAnswers(path: string) {
    try {
      const { answers, hashes } = await readAnswersAt(path, readScale(options));
      return { responses: answers, hashes };
    } catch (error) {
      // Before the first round a candidate's file has no answers.
      const empty = error instanceof AnchorEvalError && error.issues.some(({ code }) => code === "empty");
      if (!empty) throw error;
      return { responses: new Map<string, number>() };
    }
  }
}

/** A race for people: where everyone stands, then what holds, then what to do. */
function raceParts(race: Race): ResultParts {
  const { benchmark, version, items, rounds, candidates, warnings } = race;
  const round = Math.max(...candidates.map((candidate) => candidate.rounds));
  const rows = [
    ["", "candidate", "score", "better by at most", "items asked", "ask next"],
    ...candidates.map((candidate, k) => [
      `${k + 1}`,
      candidate.name,
      candidate.score === null ? "–" : points(candidate.score),
      standingWords(candidate),
      count(candidate.asked),
      candidate.next.length === 0 ? "–" : count(candidate.next.length),
    ]),
  ];
  return [
    `${benchmark} ${version}: race of ${candidates.length}, round ${round} of ${rounds}; ${count(items)} items in all`,
    "",
    { rows, align: "rlrlrr" },
    "",
    ...verdict(race),
    ...scenarioWords(race),
    callWords(race),
    ...warningLines(warnings),
  ];
}

function standingWords({ state, most, out, rounds }: RacedCandidate): string {
  if (out !== null) return `out in round ${out.round}, behind ${out.by}`;
  if (state === "leader") return rounds === 0 ? "–" : "leads";
  if (most === null) return rounds === 0 ? "–" : "not known yet";
  const at = most <= 0 ? "not better" : points(most);
  return state === "close" ? `${at}: enough` : at;
}

function verdict({ winner, leader, within, level, margin, over, calls }: Race): string[] {
  const sure = (by: number): string => {
    const more = by === 0 ? "" : ` by more than ${points(by)} points`;
    const ahead = over === "tasks" ? `is better${more} on tasks like these` : `'s score on all items is higher${more}`;
    return `with ${percent(level)} confidence no candidate ${ahead}`.replace(" '", "'");
  };
  if (winner !== null) return [`winner: ${winner}; ${sure(margin)}`];
  if (within === null) return ["no winner yet"];
  return [`no winner${calls.next === 0 ? "" : " yet"}: ${leader} leads; ${sure(within)}`];
}

function scenarioWords({ scenarios, level }: Race): string[] {
  const leaders = Object.entries(scenarios).flatMap(([id, best]) => (best === null ? [] : [`${best} in ${id}`]));
  if (leaders.length === 0) return [];
  return [`best of all by scenario: ${listed(leaders)}; all of this together with ${percent(level)} confidence`];
}

function callWords({ calls: { made, next, all } }: Race): string {
  const share = percent(Math.round((1000 * made) / all) / 1000);
  const saved = `${counted(made, "answer")} of ${count(all)}, what all candidates on all items would take (${share})`;
  return next === 0 ? saved : `${saved}; next round: ${count(next)} more`;
}
