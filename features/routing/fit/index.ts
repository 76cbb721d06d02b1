/** Routes: every model's chance of a right answer to questions that none has seen. */
export { withColdStart } from "anchoreval/internal/features/routing/core/routing-file";
export { type ColdStartInput, fitColdStart } from "./cold-start.ts";
export { embeddedRows, type Embeddings, readEmbeddings } from "./embeddings-file.ts";
export { judgeRouting, type RoutingJudgement, routingSummary } from "./judge-routing.ts";
export { forecastQuality } from "./probability-scale.ts";
export { splitQuestions, testAnswers } from "./questions.ts";
export { type RouteOptions, routeQuestions, type Routing } from "./route-questions.ts";
