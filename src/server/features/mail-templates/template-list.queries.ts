import { type Expression, type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import type { listMailTemplates, listTemplateFolders } from '#contract/templates/mail-templates-list.ts';
import { SENT_COUNT_DAYS } from '#domain/limits.ts';
import { containing, normalizeText, searchWords } from '#domain/text/text-filter.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { DAY_MS } from '#domain/time-units.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import { contentVersion } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import {
  byKey,
  countRows,
  hasRow,
  ownRows,
  pageOf,
  pickColumns,
  wantsColumn,
} from '../../platform/database/list-rows.ts';
import type { TemplateContent } from './template.queries.ts';

type Query = z.output<(typeof listMailTemplates)['query']>;

/** Lists the templates of an account, the last changed one first. Counts only for requested columns. */
export const listTemplateRows = (
  account: AccountDb,
  { where_info: where = {}, columns, ...window }: Query,
  now: number,
) =>
  account.snapshot(async (tx) => {
    const own = conditionOf(account.id, where);
    const found = await tx
      .selectFrom('mail_template')
      .leftJoin('member', byKey('member', 'mail_template.member_id'))
      .select(['mail_template.id', 'mail_template.name', 'subject', 'folder_id', 'editor', 'archived_at'])
      .select(['sendgrid_template_id', 'mail_template.created_at', 'mail_template.updated_at'])
      .select('member.name as updated_by')
      .where(own)
      .orderBy('mail_template.updated_at', 'desc')
      .orderBy('mail_template.id', 'desc')
      .limit(window.limit)
      .offset(window.offset)
      .execute();
    const ids = found.map(({ id }) => id);
    const asks = (name: 'senders' | 'reservations' | 'sent' | 'replied') => wantsColumn(columns, name);
    const senders = asks('senders') ? await sendersOf(tx, account.id, ids) : [];
    const reservations = asks('reservations') ? await countReservations(tx, account.id, ids) : new Map();
    const sent = asks('sent') || asks('replied') ? await countSent(tx, account.id, ids, now) : new Map();
    const rows = found.map(({ archived_at, created_at, updated_at, editor, ...row }) => {
      const all = {
        ...row,
        editor: editor as TemplateContent['editor'],
        archived: asFlag(archived_at !== null),
        created_at: formatSecond(created_at.getTime()),
        updated_at: formatSecond(updated_at.getTime()),
        senders: senders
          .filter(({ template_id }) => template_id === row.id)
          .map(({ id, person_in_charge, group, active }) => ({ id, person_in_charge, group, active: asFlag(active) })),
        reservations: reservations.get(row.id) ?? 0,
        sent: sent.get(row.id)?.sent ?? 0,
        replied: sent.get(row.id)?.replied ?? 0,
      };
      return pickColumns(all, columns);
    });
    return pageOf(rows, window, () => countRows(tx, 'mail_template', own));
  });

/** Translates a where_info. `folder_id` 0: in no folder. */
function conditionOf(
  accountId: number,
  { id, folder_id, archived, search = '' }: NonNullable<Query['where_info']>,
): Expression<SqlBool> {
  const words = searchWords(normalizeText(search)).map(containing);
  const text = sql`lower(normalize(mail_template.name || ' ' || mail_template.subject, NFKC))`;
  const conditions = [
    ownRows('mail_template', accountId, { id, ...(folder_id !== undefined && folder_id > 0 && { folder_id }) }),
    ...(folder_id === 0 ? [sql`mail_template.folder_id IS NULL`] : []),
    ...(archived === undefined ? [] : [sql`(mail_template.archived_at IS NOT NULL) = ${archived}`]),
    ...words.map((word) => sql`${text} LIKE ${word}`),
  ];
  return sql<SqlBool>`(${sql.join(conditions, sql` AND `)})`;
}

const sendersOf = (tx: Tx, accountId: number, templateIds: readonly number[]) =>
  tx
    .selectFrom('sender')
    .innerJoin('sender_profile', byKey('sender_profile', 'sender.profile_id'))
    .innerJoin('sender_group', byKey('sender_group', 'sender.sender_group_id'))
    .select(['sender.template_id', 'sender.id', 'sender_profile.person_in_charge', 'sender_group.group_name as group'])
    .select('sender.active')
    .where('sender.account_id', '=', accountId)
    .where('sender.template_id', '=', sql<number>`any(${templateIds}::bigint[])`)
    .orderBy('sender.id')
    .execute();

async function countReservations(tx: Tx, accountId: number, templateIds: readonly number[]) {
  const { rows } = await sql<{ id: number; count: number }>`
    SELECT sender.template_id AS id, count(*)::int AS count
    FROM reservation JOIN sender ON sender.account_id = reservation.account_id AND sender.id = reservation.sender_id
    WHERE reservation.account_id = ${accountId} AND sender.template_id = ANY (${templateIds}::bigint[])
      AND reservation.active AND NOT reservation.is_sent
    GROUP BY sender.template_id`.execute(tx);
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/**
 * Counts the real mails of each template's recent runs, and those with a reply. Uses delivery's unique key, which
 * starts with the run.
 */
async function countSent(tx: Tx, accountId: number, templateIds: readonly number[], now: number) {
  const since = new Date(now - SENT_COUNT_DAYS * DAY_MS);
  const { rows } = await sql<{ id: number; sent: number; replied: number }>`
    SELECT run.template_id AS id, sum(mails.sent)::int AS sent, sum(mails.replied)::int AS replied
    FROM send_log AS run CROSS JOIN LATERAL (
      SELECT count(*) AS sent, count(*) FILTER (WHERE delivery.replied) AS replied FROM delivery
      WHERE delivery.account_id = ${accountId} AND delivery.send_log_id = run.id AND delivery.state = 'sent'
    ) AS mails
    WHERE run.account_id = ${accountId} AND run.template_id = ANY (${templateIds}::bigint[])
      AND run.sent_at >= ${since} AND NOT run.test_send_mode
    GROUP BY run.template_id`.execute(tx);
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}

type FolderQuery = z.output<(typeof listTemplateFolders)['query']>;

/** Lists the folders of an account by name, each with the number of its unarchived templates. */
export const listFolders = (account: AccountDb, { where_info, columns, ...window }: FolderQuery) =>
  account.snapshot(async (tx) => {
    const own = ownRows('mail_template_folder', account.id, where_info);
    const rows = await tx
      .selectFrom('mail_template_folder')
      .select(['id', 'name'])
      .select(({ selectFrom, fn }) =>
        selectFrom('mail_template')
          .select(fn.countAll<number>().as('templates'))
          .whereRef('mail_template.account_id', '=', 'mail_template_folder.account_id')
          .whereRef('mail_template.folder_id', '=', 'mail_template_folder.id')
          .where('mail_template.archived_at', 'is', null)
          .$asScalar()
          .$notNull()
          .as('templates'),
      )
      .where(own)
      .orderBy('name')
      .orderBy('id')
      .limit(window.limit)
      .offset(window.offset)
      .execute();
    const shown = rows.map((row) => pickColumns({ ...row, version: contentVersion(row.name) }, columns));
    return pageOf(shown, window, () => countRows(tx, 'mail_template_folder', own));
  });

/** Checks whether the account has the folder, and locks it until the end of the transaction. */
export const hasFolder = (tx: Tx, accountId: number, id: number): Promise<boolean> =>
  hasRow(tx, 'mail_template_folder', { accountId, id }, 'FOR KEY SHARE');
