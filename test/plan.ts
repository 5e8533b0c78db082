import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#server/platform/database/db.ts';
import type { Role } from '#server/platform/database/roles/database-roles.ts';
import type { TestDatabase } from './db.ts';
import { openAs } from './open-as.ts';
import { rewriteStatements } from './statements.ts';

/**
 * Returns EXPLAIN's plan of a query, with sequential scans only if no index serves.
 * The query is not run. A test must analyse its own tables: with an earlier test's statistics any index may look
 * equally good.
 */
export const planByIndexes = (db: Db, query: RawBuilder<unknown>): Promise<string> =>
  db.transaction().execute(async (tx) => {
    await sql`SET LOCAL enable_seqscan = off`.execute(tx);
    const { rows } = await sql<{ 'QUERY PLAN': string }>`EXPLAIN ${query}`.execute(tx);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });

/** Matches statements that have a plan, with or without a driver's hint before them. */
const PLANNED = /^\s*(?:\/\*.*?\*\/\s*)?(?:SELECT|WITH|UPDATE|INSERT|DELETE)\b/is;

/**
 * Runs `work` on new connections, and returns the plans of its statements, as planByIndexes() does.
 * Plans are made afterwards as the owner, so they lack the conditions of row level security.
 */
export async function plansOf(
  { url, pool }: Pick<TestDatabase, 'url' | 'pool'>,
  role: Role,
  work: (db: Db) => Promise<unknown>,
): Promise<string[]> {
  const opened = openAs(role, url, 1);
  const statements: { readonly text: string; readonly values?: readonly unknown[] | undefined }[] = [];
  rewriteStatements(opened.pool, () => ({ text, values }) => {
    if (PLANNED.test(text)) statements.push({ text, values });
    return text;
  });
  try {
    await work(opened.db);
  } finally {
    await opened.close();
  }
  const client = await pool.connect();
  const plans: string[] = [];
  try {
    await client.query('BEGIN; SET LOCAL enable_seqscan = off');
    for (const { text, values } of statements) {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, [...(values ?? [])]);
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    }
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  return plans;
}

/** Returns how plans read a table: the names of indexes, and `seq` for a scan of all rows. */
export function readsOf(plans: readonly string[], table: string): string[] {
  const place = new RegExp(
    [
      `Index(?: Only)? Scan(?: Backward)? using (\\w+) on ${table}\\b`,
      `Bitmap Index Scan on (${table}_\\w+)`,
      `Seq Scan on ${table}\\b`,
    ].join('|'),
    'g',
  );
  const found = plans.flatMap((plan) => [...plan.matchAll(place)]);
  return [...new Set(found.map(([, index, bitmap]) => index ?? bitmap ?? 'seq'))].toSorted();
}
