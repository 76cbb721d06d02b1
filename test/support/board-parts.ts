import { submatrix, type ItemInfo, type ResponseMatrix } from "../../offline-trainer/src/matrix/response-matrix.ts";

/** A topic board's questions of one subscenario, with their answers. */
export function submatrixOf(board: ResponseMatrix, subscenario: string): ResponseMatrix {
  const columns = board.items.flatMap((item, i) => (item.subscenario === subscenario ? [i] : []));
  return submatrix(board, Array.from(board.subjects.keys()), columns);
}

/** Its test questions, without answers. */
export function testPart(board: ResponseMatrix): ItemInfo[] {
  return board.items.filter(({ subscenario }) => subscenario === "test");
}
