/** Items to look at by hand. */
export { type Audit, auditLeaderboard, type AuditOptions } from "./audit-leaderboard.ts";
export { auditedItems } from "./findings.ts";
