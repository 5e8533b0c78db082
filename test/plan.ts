import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#server/platform/database/db.ts';
import type { Role } from '#server/platform/database/roles/database-roles.ts';
import type { TestDatabase } from './db.ts';
import { openAs } from './open-as.ts';
import { rewriteStatements } from './statements.ts';

/**
 * Returns the plan of a query, as EXPLAIN prints it, with sequential scans only where no index serves.
 * The query is not run. A test gives its tables statistics of their own: those of an earlier test may make any index
 * look as good.
 */
export const planByIndexes = (db: Db, query: RawBuilder<unknown>): Promise<string> =>
  db.transaction().execute(async (tx) => {
    await sql`SET LOCAL enable_seqscan = off`.execute(tx);
    const { rows } = await sql<{ 'QUERY PLAN': string }>`EXPLAIN ${query}`.execute(tx);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });

/** Matches what has a plan, with or without a driver's hint before it. */
const PLANNED = /^\s*(?:\/\*.*?\*\/\s*)?(?:SELECT|WITH|UPDATE|INSERT|DELETE)\b/is;

/**
 * Runs `work` on connections of its own, and returns the plans of its statements, as planByIndexes().
 * They are made afterwards, as the owner: the conditions of row level security are not in them.
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

/** Returns how plans read a table: its indexes by name, and `seq` for a scan of all its rows. */
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
