import { AnchorEvalError } from "anchoreval/internal/core/errors";

/** Something about a board that makes its figures wrong, or may. */
export interface BorderFinding {
  /**
   * `id_white_space`, `ids_alike`, `reserved_name`, `summary_column`, `summary_row`, `scenario_reversed`, `item_reversed`,
   * `scale_unlikely`, `gaps_by_strength`, `no_variance`, `unused_field`
   */
  readonly code: string;
  /** The file, where it isn't that of the answers. */
  readonly file?: string;
  /** Whether the board isn't taken. */
  readonly refused?: boolean;
  /** The models, scenarios or items that it is of. */
  readonly names: readonly string[];
  readonly message: string;
}

/** A finding in one line, with its code. */
export function findingWords({ code, file, message }: BorderFinding): string {
  return `${file === undefined ? "" : `${file}: `}${message} [${code}]`;
}

/** @throws AnchorEvalError `invalid_data` with an issue for each finding that isn't taken, its code the finding's */
export function refuseFindings(file: string, findings: readonly BorderFinding[]): void {
  const refused = findings.filter((finding) => finding.refused === true);
  const [first] = refused;
  if (!first) return;
  throw new AnchorEvalError(
    "invalid_data",
    `${first.file ?? file}: ${first.message}${refused.length > 1 ? `; and ${refused.length - 1} more` : ""}`,
    {
      issues: refused.map(({ file: other, code, names, message }) => ({
        path: [other ?? file, ...names],
        code,
        message,
      })),
    },
  );
}
