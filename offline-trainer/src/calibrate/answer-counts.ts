import type { CodedResponses } from "../matrix/code-responses.ts";

/** How many answers models and items have, and how many of them are right. */
export interface AnswerCounts {
  readonly subject: Tally;
  readonly item: Tally;
}

interface Tally {
  readonly seen: Float64Array;
  readonly right: Float64Array;
}

/** Words of bytes of at most 1 that add up to no more than a byte holds, by definition. */
const MOST_WORDS = 255;
/** A one in every byte: what −1 (0xff) and 1 have in common, 0 hasn't. */
const ONES = 0x01010101;

/**
 * Counts the answers of every model and item in one pass: four cells of int8 at a time, added byte by byte, and no branch
 * by what a cell holds (182 million cells: 0.2 s, 2 s one by one).
 */
export function countAnswers({ subjects, items, signs }: CodedResponses): AnswerCounts {
  const words = Math.floor(items / 4);
  const view = new DataView(signs.buffer, signs.byteOffset, signs.byteLength);
  const tally = (length: number): Tally => ({ seen: new Float64Array(length), right: new Float64Array(length) });
  const [subject, item] = [tally(subjects), tally(items)];
  const seenBelow = new Uint32Array(words);
  const wrongBelow = new Uint32Array(words);
  const flush = (): void => {
    for (let i = 0; i < 4 * words; i++) {
      const shift = 8 * (i % 4);
      const seen = (seenBelow[i >> 2]! >>> shift) & 0xff;
      item.seen[i]! += seen;
      item.right[i]! += seen - ((wrongBelow[i >> 2]! >>> shift) & 0xff);
    }
    seenBelow.fill(0);
    wrongBelow.fill(0);
  };
  for (let m = 0; m < subjects; m++) {
    if (m > 0 && m % MOST_WORDS === 0) flush();
    const row = m * items;
    let seen = 0;
    let wrong = 0;
    for (let word = 0; word < words;) {
      const end = Math.min(words, word + MOST_WORDS);
      let seenBeside = 0;
      let wrongBeside = 0;
      for (; word < end; word++) {
        const cells = view.getInt32(row + 4 * word, true);
        const isSeen = cells & ONES;
        const isWrong = (cells >>> 7) & ONES;
        seenBeside = (seenBeside + isSeen) | 0;
        wrongBeside = (wrongBeside + isWrong) | 0;
        seenBelow[word]! += isSeen;
        wrongBelow[word]! += isWrong;
      }
      seen += sumOfBytes(seenBeside);
      wrong += sumOfBytes(wrongBeside);
    }
    for (let i = 4 * words; i < items; i++) {
      const sign = signs[row + i]!;
      seen += sign & 1;
      wrong += sign < 0 ? 1 : 0;
      item.seen[i]! += sign & 1;
      item.right[i]! += sign > 0 ? 1 : 0;
    }
    subject.seen[m] = seen;
    subject.right[m] = seen - wrong;
  }
  flush();
  return { subject, item };
}

/** Answers among coded responses, missing ones left out. */
export function answersAmong(signs: Int8Array): number {
  const view = new DataView(signs.buffer, signs.byteOffset, signs.byteLength);
  const even = signs.length - (signs.length % 4);
  let answers = 0;
  for (let at = 0; at < even;) {
    const end = Math.min(even, at + 4 * MOST_WORDS);
    let beside = 0;
    for (; at < end; at += 4) beside = (beside + (view.getInt32(at, true) & ONES)) | 0;
    answers += sumOfBytes(beside);
  }
  for (let at = even; at < signs.length; at++) answers += signs[at]! & 1;
  return answers;
}

function sumOfBytes(word: number): number {
  const pairs = (word & 0x00ff00ff) + ((word >>> 8) & 0x00ff00ff);
  return (pairs & 0xffff) + (pairs >>> 16);
}
