import { join } from "node:path";
import { groupItems, readResponses } from "anchoreval-trainer";

/** A set of a folder of leaderboards, FOLDER/SET/responses.csv.gz and items.jsonl.gz, its items grouped as a fit has them. */
export async function readLeaderboard(folder, set) {
  const { matrix } = await readResponses(join(folder, set, "responses.csv.gz"), {
    items: join(folder, set, "items.jsonl.gz"),
  });
  return groupItems(matrix);
}
