import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';

/* Tables as text of COPY, with names from the catalog, for backups and account moves. */

/** A table of the catalog. Names are quoted where SQL requires it. */
export interface Table {
  readonly name: string;
  /** Without generated columns. */
  readonly columns: readonly string[];
  /** The sort order of the rows, so that equal tables give equal text in every database. */
  readonly order: string;
  /** The sequence that numbers its rows, or null. */
  readonly sequence: string | null;
  /** The column with the account's id; null: the rows belong to no account. */
  readonly account: 'id' | 'account_id' | null;
}

/**
 * Selects the tables that the role $1 (kaitaku_service) may read. Texts are sorted by code point, rows without a key by
 * all columns.
 */
const TABLES = `
  SELECT quote_ident(t.relname) AS name,
    ARRAY(
      SELECT quote_ident(attname)::text FROM pg_attribute
      WHERE attrelid = t.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum
    ) AS columns,
    coalesce((
      SELECT string_agg(quote_ident(attname) || CASE WHEN attcollation <> 0 THEN ' COLLATE "C"' ELSE '' END, ', '
        ORDER BY array_position(conkey, attnum))
      FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = ANY (conkey)
      WHERE conrelid = t.oid AND contype = 'p'
    ), format('%I::text COLLATE "C"', t.relname)) AS order,
    (SELECT pg_get_serial_sequence(quote_ident(t.relname), attname) FROM pg_attribute
      WHERE attrelid = t.oid AND attidentity <> '') AS sequence,
    CASE WHEN t.relname = 'account' THEN 'id' ELSE (SELECT attname FROM pg_attribute
      WHERE attrelid = t.oid AND attname = 'account_id') END AS account
  FROM pg_class t
  WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND has_table_privilege($1, t.oid, 'SELECT')
  ORDER BY t.relname`;

/** Reads the tables of Kaitaku, by name. @param service its role kaitaku_service */
export const readTables = async (db: Pick<pg.Pool, 'query'>, service: string): Promise<readonly Table[]> =>
  (await db.query<Table>(TABLES, [service])).rows;

/** Makes values print the same in every database, until the end of the transaction. */
export const SAME_TEXT = `
  SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL timezone = 'UTC'; SET LOCAL intervalstyle = 'postgres';
  SET LOCAL extra_float_digits = 1; SET LOCAL bytea_output = 'hex'; SET LOCAL synchronize_seqscans = off`;

/** What two tables are compared by. */
export interface TableSum {
  readonly rows: number;
  /** Of the text of all rows, in hexadecimal digits. */
  readonly sha256: string;
}

/**
 * Yields the rows of a table as text of COPY.
 * @param client in a transaction with SAME_TEXT
 * @param accountId selects this account's rows; absent: all
 * @returns their sum
 */
export async function* copyOut(
  client: pg.ClientBase,
  table: Table,
  accountId?: number,
): AsyncGenerator<Buffer, TableSum> {
  const hash = createHash('sha256');
  const from = `${table.name}${ofAccount(table, accountId)}`;
  const rows = `SELECT ${table.columns.join(', ')} FROM ${from} ORDER BY ${table.order}`;
  const copy = client.query(copyTo(`COPY (${rows}) TO STDOUT`));
  for await (const chunk of copy as AsyncIterable<Buffer>) {
    hash.update(chunk);
    yield chunk;
  }
  // Waits for CommandComplete: the stream ends before the server has sent the row count.
  await client.query('');
  return { rows: copy.rowCount, sha256: hash.digest('hex') };
}

/** The WHERE clause for an account's rows. COPY takes no parameters. */
export const ofAccount = ({ account }: Table, accountId?: number): string =>
  accountId === undefined ? '' : ` WHERE ${account} = ${BigInt(accountId)}`;

/** Computes a table's sum. @param client in a transaction with SAME_TEXT @param accountId only its rows; absent: all */
export async function sumOf(client: pg.ClientBase, table: Table, accountId?: number): Promise<TableSum> {
  const rows = copyOut(client, table, accountId);
  for (;;) {
    const next = await rows.next();
    if (next.done) return next.value;
  }
}

/**
 * Loads rows into a table.
 * @param text of COPY, as copyOut() yields it
 * @param client in a transaction with SAME_TEXT
 * @param isEmptied the transaction has truncated the table: COPY then freezes the rows, so that no VACUUM rewrites them
 */
export async function copyIn(
  client: pg.ClientBase,
  { name, columns }: Table,
  text: AsyncIterable<Buffer>,
  { isEmptied }: { readonly isEmptied: boolean },
): Promise<void> {
  const options = isEmptied ? ' (FREEZE)' : '';
  await pipeline(text, client.query(copyFrom(`COPY ${name} (${columns.join(', ')}) FROM STDIN${options}`)));
}

/** Returns the last number of a table's sequence; null: unused, or no sequence. */
export async function lastNumber(client: pg.ClientBase, { sequence }: Table): Promise<number | null> {
  if (sequence === null) return null;
  const { rows } = await client.query<{ last: number | null }>('SELECT pg_sequence_last_value($1::regclass) AS last', [
    sequence,
  ]);
  return rows[0]?.last ?? null;
}

/** Raises a table's sequence to at least this number. It is never lowered. */
export async function raiseNumber(client: pg.ClientBase, { sequence }: Table, last: number | null): Promise<void> {
  if (sequence === null || last === null) return;
  await client.query(
    'SELECT setval($1::regclass, greatest($2::bigint, coalesce(pg_sequence_last_value($1::regclass), 0)))',
    [sequence, last],
  );
}
