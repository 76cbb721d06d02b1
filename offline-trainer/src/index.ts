export {
  isBinary,
  responseMatrix,
  scoreAt,
  submatrix,
  type ItemInfo,
  type ResponseMatrix,
} from "./matrix/response-matrix.ts";
export { startLocalWorker, type LocalWorker, type LocalWorkerOptions } from "./serve/local-worker.ts";
