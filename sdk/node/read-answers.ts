import { parseAnswers, type Answers } from "../tables/parse-answers.ts";
import type { ScoreOptions } from "../tables/score-reader.ts";
import { fileChunks } from "./tables/file-chunks.ts";

/**
 * Reads one model's answers from a file, plain or gzip ({@link parseAnswers}).
 * @throws AnchorEvalError `not_found`, `unavailable`, `invalid_data`
 * @example
 * const { answers, hashes } = await readAnswers("answers.json");
 * estimateFromAnchors(bundle, answers, { hashes });
 */
export function readAnswers(path: string, options: ScoreOptions = {}): Promise<Answers> {
  return parseAnswers(path, fileChunks(path), options);
}
