import { csvCell } from "../ingest/write-wide-csv.ts";
import type { Audit } from "./audit.ts";
import {
  bankRecord,
  copyRecord,
  itemRecord,
  modelRecords,
  scenarioRecords,
  type AuditRecord,
} from "./audit-records.ts";
import type { AuditedItem } from "./audited-items.ts";

/**
 * An audit as JSON lines: items by rank, then pairs, models, scenarios and banks; `record` says which.
 * @param items - of {@link auditedItems}
 */
export function* auditLines(audit: Audit, items: readonly AuditedItem[]): Generator<string, void, undefined> {
  for (const record of auditRecords(audit, items)) yield `${JSON.stringify(record)}\n`;
}

function* auditRecords(audit: Audit, items: readonly AuditedItem[]): Generator<AuditRecord, void, undefined> {
  for (const item of items) yield itemRecord(item, audit.matrix.items);
  for (const copy of audit.copies) yield copyRecord(copy, audit);
  const banks = audit.banks.map((bank) => bank.audit);
  for (const bank of banks) yield* modelRecords(bank);
  for (const bank of banks) yield* scenarioRecords(bank);
  for (const bank of banks) yield bankRecord(bank);
}

/** The items of an audit as CSV, by rank; discriminations in columns of their own, lists joined by semicolons. */
export function* auditCsv(audit: Audit, items: readonly AuditedItem[]): Generator<string, void, undefined> {
  const dims = Math.max(...audit.banks.map((bank) => bank.audit.calibration.dims));
  let header = true;
  for (const item of items) {
    const row = Object.entries(itemRecord(item, audit.matrix.items)).flatMap(([name, value]): [string, string][] => {
      if (name === "record") return [];
      if (name !== "a" && name !== "aErrors") return [[name, text(value)]];
      const numbers = value as readonly (number | null)[];
      return Array.from({ length: dims }, (_, d) => [`${name}${d + 1}`, text(numbers[d] ?? null)]);
    });
    if (header) yield `${row.map(([name]) => name).join(",")}\n`;
    header = false;
    yield `${row.map(([, value]) => csvCell(value)).join(",")}\n`;
  }
}

function text(value: AuditRecord[string]): string {
  if (value === null) return "";
  return typeof value === "object" ? value.join("; ") : String(value);
}
