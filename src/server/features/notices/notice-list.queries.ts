import { type Expression, type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import type { listNotices } from '#contract/notices/notices.ts';
import { NOTICE_DAYS, type NoticeKind } from '#domain/account/notice.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { asFlag } from '../../platform/as-flag.ts';
import { type MemberDb, type MemberKey, memberKeyOf } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { isNotFrozen } from '../../platform/database/frozen.ts';
import { pageOf, pickColumns } from '../../platform/database/list-rows.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { type NoticeSubject, subjectNames } from './notice-subjects.queries.ts';

/** Selects notices `n` of a member that the bell shows. Older ones are deleted soon. */
const isShown = ({ accountId, memberId }: MemberKey): Expression<SqlBool> => sql<SqlBool>`
  n.account_id = ${accountId} AND n.member_id = ${memberId} AND n.on_screen
  AND n.last_at > now() - make_interval(days => ${sql.lit(NOTICE_DAYS)})`;

type Query = z.output<(typeof listNotices)['query']>;

interface StoredNotice {
  readonly id: number;
  readonly kind: NoticeKind;
  readonly count: number;
  readonly percent: number | null;
  readonly subjects: readonly NoticeSubject[];
  readonly first_at: Date;
  readonly last_at: Date;
  readonly is_read: boolean;
}

/** Lists the notices of a member, the newest first. */
export const listOwnNotices = (account: MemberDb, { where_info: where, columns, ...window }: Query) =>
  account.snapshot(async (tx) => {
    const isRead = where?.is_read;
    const read = sql<SqlBool>`n.read_at IS NOT NULL`;
    const wanted = sql<SqlBool>`${isShown(memberKeyOf(account))}
      AND ${isRead === undefined ? sql`true` : isRead ? read : sql`n.read_at IS NULL`}`;
    const { rows: found } = await sql<StoredNotice>`
      SELECT n.id, n.kind, n.count, n.percent, ${subjectNames(account.id)} AS subjects, n.first_at, n.last_at,
        n.read_at IS NOT NULL AS is_read
      FROM notice n WHERE ${wanted}
      ORDER BY n.last_at DESC, n.id DESC
      LIMIT ${window.limit} OFFSET ${window.offset}`.execute(tx);
    const rows = found.map(({ first_at, last_at, is_read, ...row }) =>
      pickColumns(
        {
          ...row,
          subjects: [...row.subjects],
          first_at: formatSecond(first_at.getTime()),
          last_at: formatSecond(last_at.getTime()),
          is_read: asFlag(is_read),
        },
        columns,
      ),
    );
    return pageOf(rows, window, () => countNotices(tx, wanted));
  });

/** Counts notices `n`. */
async function countNotices(tx: Tx, wanted: Expression<SqlBool>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM notice n WHERE ${wanted}`.execute(tx);
  return onlyRow(rows).count;
}

/** Deletes expired notices, unless a mail about them is being sent. */
export async function deleteOldNotices(db: Db): Promise<void> {
  await sql`
    DELETE FROM notice
    WHERE last_at <= now() - make_interval(days => ${sql.lit(NOTICE_DAYS)}) AND mailing IS NULL
      AND ${isNotFrozen('account_id')}`.execute(db);
}

/** Counts the unread notices of a member. */
export const countUnread = (tx: Tx, member: MemberKey): Promise<number> =>
  countNotices(tx, sql<SqlBool>`${isShown(member)} AND n.read_at IS NULL`);

/** Counts the unread notices of all members of an account, by member. */
export async function countUnreadOfAll(tx: Tx, accountId: number): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<{ memberId: number; unread: number }>`
    SELECT n.member_id AS "memberId", count(*)::integer AS unread FROM notice n
    WHERE n.account_id = ${accountId} AND n.read_at IS NULL AND n.on_screen
      AND n.last_at > now() - make_interval(days => ${sql.lit(NOTICE_DAYS)})
    GROUP BY n.member_id`.execute(tx);
  return new Map(rows.map(({ memberId, unread }) => [memberId, unread]));
}
