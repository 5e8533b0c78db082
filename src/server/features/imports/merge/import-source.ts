/** Who imports, and the row of import_run that names the import. */
export interface ImportSource {
  readonly accountId: number;
  /** null: the operator. */
  readonly memberId: number | null;
  readonly importRunId: number;
  /** The sender group that gets the remarks of the file; null: they are not imported. */
  readonly remarksGroupId: number | null;
}

/**
 * The account, unknown to the planner. Of a known account without statistics it expects one company, and may read all
 * companies of the account, by another index, for each row of the file.
 */
export const ACCOUNT = '(SELECT $1::bigint)';
