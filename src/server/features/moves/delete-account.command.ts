/*
 * Deletes a moved account from its old home (decisions/account-moves). The account's row, its hosts and the keys of its
 * mails (moved_mail) are kept, so that old links, bounces and replies still reach the new home.
 *
 * Tables are deleted before those that they refer to, in statements of PIECE_ROWS rows that commit by themselves. No
 * other account's row is locked, and incoming requests are held and passed on meanwhile. Members come last, because a
 * killed delete is repeated by their addresses.
 */
import { sql } from 'kysely';
import type { Db } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { Problem, type Refusal } from '../../platform/problem.ts';
import { askHome } from './ask-home.ts';
import { countAllHeld, type HeldCount } from './held.queries.ts';
import { alone, underWay } from './moving.queries.ts';

/** What is kept of an account. */
export const STAYS: Readonly<Record<string, string>> = {
  account: 'where it lives now; its company and salt are blanked',
  account_host: 'former hosts lead to the new home',
  moved_mail: 'the keys of its mails, and no person',
  held_arrival: 'what comes meanwhile is passed on',
};

interface DeleteParts {
  /** A pool of the role kaitaku_service. */
  readonly db: Db;
  /** Called before the rows of a table are deleted. */
  readonly onTable?: (table: string) => void | Promise<void>;
}

/** Deletes an account that has moved. @returns the number of deleted rows, or why none was */
export async function deleteAccount(parts: DeleteParts, accountId: number): Promise<number | Refusal> {
  const deleted = await alone(parts.db, { accountId, what: 'move' }, async (db) => {
    const obstacle = await findDeleteObstacle(db, accountId);
    return obstacle ?? deleteRows({ ...parts, db }, accountId);
  });
  return deleted ?? underWay();
}

/** Days after the move until an account can be deleted, in which a mistake may be noticed. */
const STAYS_DAYS = 7;

/** Finds what keeps an account from being deleted; null: nothing. */
export async function findDeleteObstacle(db: Db, accountId: number): Promise<Refusal | null> {
  const { rows } = await sql<{ movedTo: string | null; daysLeft: number }>`
    SELECT moved_to AS "movedTo",
      ceil(extract(epoch FROM moved_at + make_interval(days => ${sql.lit(STAYS_DAYS)}) - now()) / 86400)::integer
        AS "daysLeft"
    FROM account WHERE id = ${accountId}`.execute(db);
  const { movedTo, daysLeft } = onlyRow(rows);
  if (movedTo === null) return notMoved();
  if (daysLeft > 0) return tooEarly(movedTo, daysLeft);
  const held = await countAllHeld(db, accountId);
  if (held.all > 0) return stillHeld(held);
  const fault = await askHome(movedTo, accountId);
  return fault === null ? null : notAlive(movedTo, fault);
}

const notMoved = () =>
  new Problem(
    'not_moved',
    'このアカウントはここで動いているため、削除できません。先に account move で移してください。',
  );

const tooEarly = (home: string, days: number) =>
  new Problem(
    'moved_lately',
    `${home} への移行から${STAYS_DAYS}日たっていません。移行先に問題がないことを確かめ、${days}日後にもう一度実行してください。`,
  );

const stillHeld = ({ all, mails }: HeldCount) =>
  new Problem(
    'still_held',
    `移行先にまだ渡していないものが${all}件あります（うちメール${mails}通）。配信のプロセスを動かして、渡し終わるのを待ってください。` +
      'メールが残るときは、account move を --return-address を付けてもう一度実行すると、移行先に転送されます。',
  );

const notAlive = (home: string, answer: string) =>
  new Problem(
    'home_away',
    `${home} で、移行先のKaitakuがこのアカウントについて答えません（${answer}）。移行先が動いていて同じ版であることと、プロキシのmapファイルが移行先を指していることを確認してください。`,
  );

const PIECE_ROWS = 2000;

/** @param parts with the connection that has the lock: only that one sees its cursors */
async function deleteRows({ db, onTable = () => {} }: DeleteParts, accountId: number): Promise<number> {
  let deleted = 0;
  await blankAccount(db, accountId);
  for (const table of await readTablesToDelete(db)) {
    await onTable(table);
    deleted += await deleteFrom(db, table, accountId);
  }
  return deleted + (await deleteMembers(db, accountId));
}

/** Reads the tables with account rows from the catalogue, each before those that it refers to. */
async function readTablesToDelete(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    WITH RECURSIVE referring (id, depth) AS (
      SELECT attrelid, 0 FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attname = 'account_id'
      UNION
      SELECT conrelid, depth + 1 FROM referring
      JOIN pg_constraint ON confrelid = id AND contype = 'f' AND conrelid <> confrelid
    ) CYCLE id SET is_cycle USING path
    SELECT relname AS name FROM referring JOIN pg_class ON oid = id
    WHERE relname <> 'member' AND relname <> ALL (${Object.keys(STAYS)}::text[])
    GROUP BY oid, relname ORDER BY max(depth) DESC, relname`.execute(db);
  return rows.map(({ name }) => name);
}

/** A frozen account's rows do not move, so one scan finds them. Further scans would read dead rows. */
async function deleteFrom(db: Db, table: string, accountId: number): Promise<number> {
  await sql`
    DECLARE doomed CURSOR WITH HOLD FOR
    SELECT ctid::text AS place FROM ${sql.table(table)} WHERE account_id = ${sql.lit(accountId)}`.execute(db);
  try {
    let deleted = 0;
    for (;;) {
      const { rows } = await sql<{ place: string }>`FETCH ${sql.lit(PIECE_ROWS)} FROM doomed`.execute(db);
      if (rows.length === 0) return deleted;
      const places = rows.map(({ place }) => place);
      await deletePiece(db, table, accountId, places);
      deleted += places.length;
    }
  } finally {
    await sql`CLOSE doomed`.execute(db);
  }
}

async function deletePiece(db: Db, table: string, accountId: number, places: readonly string[]): Promise<void> {
  const piece = sql`
    DELETE FROM ${sql.table(table)} WHERE account_id = ${accountId} AND ctid = ANY (${places}::tid[])`;
  if (table !== 'delivery') await piece.execute(db);
  else
    await sql`
      WITH gone AS (${piece} RETURNING *), mail AS (SELECT *, substring(message_id, 2, 36) AS message FROM gone)
      INSERT INTO moved_mail (account_id, delivery_id, mail_key, message_uuid, is_test)
      SELECT account_id, id, mail_key,
        CASE WHEN message ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN message::uuid END, test_send_mode
      FROM mail`.execute(db);
}

/** Runs first: a home that is being deleted has no complete copy to give (move-obstacles.queries.ts). */
async function blankAccount(db: Db, accountId: number): Promise<void> {
  const hash_salt = sql<Buffer>`sha256(gen_random_uuid()::text::bytea)`;
  await db
    .updateTable('account')
    .set({ company: '', hash_salt, last_job_at: null })
    .where('id', '=', accountId)
    .execute();
}

async function deleteMembers(db: Db, accountId: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('member')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
