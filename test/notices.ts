import { sql } from 'kysely';
import { NOTICE_KINDS } from '#domain/account/notice.ts';
import { makeNotices } from '#server/features/notices/notice-worker.ts';
import type { Db } from '#server/platform/database/db.ts';
import type { TestDatabase } from './db.ts';
import type { Tenant } from './prospects.ts';

/** Switches off the notice mails of an account, for tests that check all arriving mails. */
export async function switchOffNoticeMails(db: Db, { accountId }: Pick<Tenant, 'accountId'>): Promise<void> {
  await db
    .updateTable('notice_member')
    .set({ mail_off: [...NOTICE_KINDS], morning_summary: false })
    .where('account_id', '=', accountId)
    .execute();
}

/** Makes the notices of recent events, as a worker does, and reads those of a member. */
export async function noticesOf({ db, service }: TestDatabase, memberId: number) {
  await makeNotices(service.db);
  return db
    .selectFrom('notice')
    .select(['kind', 'count', 'percent'])
    .select(sql<number[]>`array_to_json(subjects)`.as('subjects'))
    .where('member_id', '=', memberId)
    .orderBy('kind')
    .orderBy('id')
    .execute();
}

/** Adds opt-outs by recipients of an account's mails, each with its own address. @param from the number of the first */
export const addRefusals = ({ db }: TestDatabase, { accountId }: Tenant, count: number, from = 0) =>
  sql`
    INSERT INTO suppression (account_id, kind, value, class, source, delivery_id)
    SELECT ${accountId}, 'address', 'refused' || n || '@a.example', 'refused', 'one_click',
      (SELECT max(id) FROM delivery WHERE account_id = ${accountId})
    FROM generate_series(${from}::integer, ${from + count - 1}::integer) AS n`.execute(db);

/** Adds an unread notice of a company's reply. @returns its id */
export async function addNotice(
  db: Db,
  { accountId: account_id, memberId: member_id }: Pick<Tenant, 'accountId' | 'memberId'>,
  prospectId: number,
): Promise<number> {
  const at = sql<Date>`now()`;
  const { id } = await db
    .insertInto('notice')
    .values({
      account_id,
      member_id,
      kind: 'reply',
      count: 1,
      subjects: [prospectId],
      first_at: at,
      last_at: at,
      on_screen: true,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
