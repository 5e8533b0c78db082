import { CompiledQuery, type PostgresPoolClient, sql } from 'kysely';
import type pg from 'pg';
import type { Db } from './db.ts';

/** What a connection is told beside SQL, in a comment at the head of a query: Kysely has no words for it. */

const PREPARED = 'prepared: ';
const WITH_NEXT = 'with the next';
const UNAWAITED = 'unawaited';
const NOTE = new RegExp(`^(?:select )?/\\* (?:${PREPARED}(\\w+)|(${WITH_NEXT})|(${UNAWAITED})) \\*/`);

/**
 * At the head of a query whose text is always the same (`.modifyFront` of a built one): a connection plans it once. Worth it where
 * planning takes longer than the work, and only where a plan for any values is as good as one for these (no LIMIT, LIKE or range).
 */
export const prepared = (name: string) => sql`/* ${sql.raw(PREPARED + name)} */`;

/**
 * A query of every request, whose text is always the same ($1, $2 … are the values): it is neither planned anew nor put together anew, for
 * which a builder takes as long as the database takes to answer it.
 */
export const fixedQuery =
  <Row>(name: string, text: string) =>
  async (db: Db, ...values: unknown[]): Promise<Row[]> =>
    (await db.executeQuery<Row>(CompiledQuery.raw(`/* ${PREPARED}${name} */ ${text}`, values))).rows;

/** Goes out with the query after it, which fails if this one does: nobody waits for the answer to a BEGIN. */
export const withNext = (text: string): CompiledQuery => CompiledQuery.raw(`/* ${WITH_NEXT} */ ${text}`);

/** Nobody waits for its answer, not even for its failure: the end of a transaction that has only read. */
export const unawaited = (text: string): CompiledQuery => CompiledQuery.raw(`/* ${UNAWAITED} */ ${text}`);

const NO_ANSWER = Promise.resolve({ command: '', rowCount: 0, rows: [] });

const noted = new WeakMap<pg.PoolClient, PostgresPoolClient>();

/** A client as Kysely uses it, which reads these notes. One that cannot pipeline sends each query when the one before is answered. */
export function notedClient(client: pg.PoolClient): PostgresPoolClient {
  const known = noted.get(client);
  if (known) return known;
  let waiting: string | null = null;
  const query = (text: string, values: unknown[]) => {
    const [, name, isWithNext, isUnawaited] = NOTE.exec(text) ?? [];
    if (client.pipeline && isWithNext !== undefined) {
      waiting = text;
      return NO_ANSWER;
    }
    const before = waiting === null ? null : client.query(waiting);
    waiting = null;
    const asked = name === undefined ? client.query(text, values) : client.query({ name, text, values });
    const answer = before === null ? asked : Promise.all([before, asked]).then(() => asked);
    if (!client.pipeline || isUnawaited === undefined) return answer;
    // It fails with its connection alone, of which whoever asks next hears.
    answer.catch(() => {});
    return NO_ANSWER;
  };
  const reader = { query: query as never, release: () => client.release() };
  noted.set(client, reader);
  return reader;
}
