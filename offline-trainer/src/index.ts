export {
  isBinary,
  responseMatrix,
  scoreAt,
  submatrix,
  type ItemInfo,
  type ResponseMatrix,
} from "./matrix/response-matrix.ts";
