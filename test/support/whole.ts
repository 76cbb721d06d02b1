/**
 * Whether tables run whole, as releases ask: every store, split, order and kind. Else a test leaves out the rows that take
 * seconds to say what others of its table say, too.
 */
export const WHOLE = process.env["ANCHOREVAL_TEST_WHOLE"] !== undefined;
