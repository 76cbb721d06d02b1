import { join } from "node:path";
import { groupItems, readResponses } from "anchoreval-trainer";
import { withoutCopies } from "anchoreval-trainer/internal/matrix/alike/copies";

/**
 * A set of a folder of leaderboards, FOLDER/SET/responses.csv.gz and items.jsonl.gz, as a fit has it: its items grouped, copies
 * of models counted as one.
 */
export async function readLeaderboard(folder, set) {
  const { matrix } = await readResponses(join(folder, set, "responses.csv.gz"), {
    items: join(folder, set, "items.jsonl.gz"),
  });
  return withoutCopies(groupItems(matrix)).matrix;
}
