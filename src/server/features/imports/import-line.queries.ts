import { sql } from 'kysely';
import type { ReviewKind } from '#contract/imports/imports.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { slicesByLength } from '../../platform/database/driver/insert-rows.ts';
import type { Refusal } from '../../platform/problem.ts';
import { mapInSlices } from '../../platform/turns.ts';
import { reviewFault } from '../stored-files/storage-limits.ts';

/** The kinds of lines that say what an import changes; the others are faults and notices. */
const CHANGE_KINDS = ['changed', 'person_added', 'person_changed'] as const;
export type ChangeLineKind = (typeof CHANGE_KINDS)[number];

/** A row of a review: the changes or the faults of a row of the file, or a person. */
export interface ImportLine {
  readonly kind: ReviewKind | ChangeLineKind;
  readonly row: number;
  readonly firstRow?: number | null;
  readonly prospectId?: number | null;
  readonly companyName?: string | null;
  readonly column?: string;
  readonly value?: string;
  readonly reason?: string;
  readonly changes?: LineChanges | null;
  /** The cells of a row that cannot be imported; a person's name, department, title and address. */
  readonly cells?: readonly string[] | undefined;
}

type Value = string | number | null;
/** The old and new value of each changed field, with the name of an own field or of tags. */
export type LineChanges = Readonly<Record<string, readonly [old: Value, now: Value, label?: string]>>;

const FLUSH_LINES = 1000;

/** The account's check results have reached their limit. */
export class ReviewFull extends Error {
  override readonly name = 'ReviewFull';
  readonly problem: Refusal;

  constructor(problem: Refusal) {
    super(problem.message);
    this.problem = problem;
  }
}

interface LineWriter {
  add(line: ImportLine): void;
  /** Stores the waiting lines once there are many of them. */
  flushIfFull(): Promise<void>;
  flush(): Promise<void>;
}

/**
 * Stores lines in separate transactions, because a check rolls its own one back.
 * Throws ReviewFull where the account has too many.
 */
export function lineWriter(db: Db, accountId: number, fileId: number): LineWriter {
  let waiting: ImportLine[] = [];
  async function flush(): Promise<void> {
    const lines = waiting;
    waiting = [];
    for (let at = 0; at < lines.length; at += FLUSH_LINES) {
      // PostgreSQL stores no NUL.
      const texts = await mapInSlices(lines.slice(at, at + FLUSH_LINES), (line) =>
        JSON.stringify({ ...line, cells: line.cells?.map((cell) => cell.replaceAll('\0', '')) }),
      );
      for (const slice of slicesByLength(texts, ({ length }) => length)) {
        await insertLines(db, accountId, fileId, `[${slice.join()}]`);
      }
      const full = await reviewFault(db, accountId);
      if (full) throw new ReviewFull(full);
    }
  }
  return {
    add: (line) => void waiting.push(line),
    flushIfFull: async () => {
      if (waiting.length >= FLUSH_LINES) await flush();
    },
    flush,
  };
}

async function insertLines(db: Db, accountId: number, fileId: number, json: string): Promise<void> {
  await sql`
    WITH added AS (
      INSERT INTO import_line (account_id, file_id, kind, file_row, first_row, prospect_id, company_name, column_label,
        value, reason, changes, cells)
      SELECT ${accountId}::bigint, ${fileId}::bigint, kind, "row", "firstRow", "prospectId", "companyName",
        coalesce("column", ''), coalesce(value, ''), coalesce(reason, ''), changes, cells
      FROM jsonb_to_recordset(${json}::jsonb) AS line (kind text, "row" integer, "firstRow" integer,
        "prospectId" bigint, "companyName" text, "column" text, value text, reason text, changes jsonb, cells text[])
      RETURNING octet_length(import_line::text) AS bytes
    )
    UPDATE stored_file SET review_bytes = review_bytes + (SELECT coalesce(sum(bytes), 0) FROM added)
    WHERE account_id = ${accountId} AND id = ${fileId}`.execute(db);
}

/** Deletes the results of an earlier check of the file. */
export async function deleteLines(db: Db, accountId: number, fileId: number): Promise<void> {
  await db.deleteFrom('import_line').where('account_id', '=', accountId).where('file_id', '=', fileId).execute();
  await db
    .updateTable('stored_file')
    .set({ review_bytes: 0 })
    .where('account_id', '=', accountId)
    .where('id', '=', fileId)
    .execute();
}

interface LineFilter {
  /** Absent: all faults and notices. */
  readonly kind?: ReviewKind | ChangeLineKind | undefined;
  readonly reason?: string | undefined;
  readonly column?: string | undefined;
}

const linesOf = (tx: Tx, accountId: number, fileId: number, { kind, reason, column }: LineFilter) =>
  tx
    .selectFrom('import_line')
    .where('account_id', '=', accountId)
    .where('file_id', '=', fileId)
    .where((eb) => (kind === undefined ? eb('kind', 'not in', CHANGE_KINDS) : eb('kind', '=', kind)))
    .$if(reason !== undefined, (query) => query.where('reason', '=', reason ?? ''))
    .$if(column !== undefined, (query) => query.where('column_label', '=', column ?? ''));

interface Page {
  readonly limit: number;
  readonly offset: number;
}

const MAX_SHOWN_CELL = 100;

/**
 * Reads a page of lines in the order of the file.
 * @param at the places of the cells that are shown
 */
export async function listLines(
  tx: Tx,
  { accountId, fileId }: { accountId: number; fileId: number },
  filter: LineFilter,
  { limit, offset }: Page,
  at: readonly number[] = [],
) {
  const lines = linesOf(tx, accountId, fileId, filter);
  const rows = await lines
    .select(['kind', 'file_row', 'first_row', 'prospect_id', 'company_name', 'column_label', 'value', 'reason'])
    .select('changes')
    .select(
      sql<string[]>`ARRAY(SELECT coalesce(left(cells[place + 1], ${MAX_SHOWN_CELL}), '')
        FROM unnest(${at}::integer[]) WITH ORDINALITY AS shown (place, n) ORDER BY n)`.as('shown'),
    )
    .orderBy('file_row')
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await lines.select(sql<number>`count(*)::integer`.as('total')).executeTakeFirstOrThrow();
  return { rows, total };
}

/** Reads rows that cannot be imported, after a given one. */
export const listFaulty = (tx: Tx, accountId: number, fileId: number, after: number, limit: number) =>
  linesOf(tx, accountId, fileId, { kind: 'refused' })
    .select(['id', 'file_row', 'column_label', 'reason', 'cells'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
