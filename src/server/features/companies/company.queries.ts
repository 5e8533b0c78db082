import { sql } from 'kysely';
import { COMPANY_FIELDS, type CompanyDetail } from '#contract/companies/companies.ts';
import type { PublicationNotice } from '#domain/law/publication.ts';
import { addressee } from '#domain/mail/addressee.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import { contentVersion } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import { notFound, type Problem } from '../../platform/problem.ts';
import type { OwnCompany } from '../own-fields/next-own.ts';
import { ownContent, ownDetail, readOwnState } from '../own-fields/own-detail.queries.ts';
import { readCompanyPeople } from '../people/people.queries.ts';
import { readStates } from '../prospects/prospects.queries.ts';
import { IS_DOUBT, readSuppression } from '../suppressions/suppression.queries.ts';
import type { CompanyValues } from './company-fields.ts';

/**
 * Reads a company of the account.
 * @param lock locks the row, so that concurrent edits are made one after the other
 */
export function loadCompany(tx: Tx, accountId: number, id: number, { lock = false } = {}) {
  return tx
    .selectFrom('prospect')
    .select(['id', ...COMPANY_FIELDS, 'external_id', 'archived_at', 'created_at', 'updated_at'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .$if(lock, (query) => query.forNoKeyUpdate())
    .$narrowType<{ publication_notice: PublicationNotice | null }>()
    .executeTakeFirst();
}

/** Returns the version of a company's values, with its own ones. */
export const versionOf = (company: CompanyValues, own: OwnCompany): string =>
  contentVersion([COMPANY_FIELDS.map((field) => company[field]), ownContent(own)]);

/** The newest change of a company's own values: who made it, null for the operator, and when. */
export function lastChange(tx: Tx, accountId: number, prospectId: number) {
  return tx
    .selectFrom('prospect_change as change')
    .leftJoin('member', (join) =>
      join.onRef('member.account_id', '=', 'change.account_id').onRef('member.id', '=', 'change.member_id'),
    )
    .select(['change.at', 'member.name'])
    .where('change.account_id', '=', accountId)
    .where('change.prospect_id', '=', prospectId)
    .where('change.sender_group_id', 'is', null)
    .orderBy('change.id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Reads all data of a company's screen, except its history. */
export function readCompanyDetail(account: AccountDb, id: number): Promise<CompanyDetail | Problem> {
  return account.snapshot(async (tx) => {
    const found = await loadCompany(tx, account.id, id);
    if (!found) return notFound();
    const { archived_at, created_at, updated_at, ...company } = found;
    const last = await lastChange(tx, account.id, id);
    const own = await readOwnState(tx, account.id, id);
    const changedAt = Math.max(updated_at.getTime(), own.row.updatedAt?.getTime() ?? 0);
    return {
      ...company,
      ...ownDetail(own),
      version: versionOf(company, { ...own.row, externalId: company.external_id }),
      archived: asFlag(archived_at !== null),
      created_at: formatSecond(created_at.getTime()),
      updated_at: formatSecond(changedAt),
      changed_by: last?.name ?? null,
      addressee: addressee(company.ceo),
      suppressed: await readSuppression(tx, account.id, company.company_email),
      maybe_refused: await readDoubt(tx, account.id, id),
      ...(await countReplies(tx, account.id, id)),
      people: await readCompanyPeople(tx, account.id, id),
      groups: await readGroups(tx, account.id, id),
    };
  });
}

/** Reads the company whose unclear reply holds this one's mails: itself, or another with the same address. */
async function readDoubt(tx: Tx, accountId: number, id: number): Promise<CompanyDetail['maybe_refused']> {
  const { rows } = await sql<NonNullable<CompanyDetail['maybe_refused']>>`
    SELECT answered.id, answered.company_name
    FROM prospect AS own
    JOIN LATERAL (
      SELECT prospect_id FROM reply WHERE reply.account_id = ${accountId} AND reply.prospect_id = own.id AND ${IS_DOUBT}
      UNION ALL
      SELECT prospect_id FROM reply
      WHERE reply.account_id = ${accountId} AND reply.doubted_address = own.email_search COLLATE "C" AND ${IS_DOUBT}
      LIMIT 1
    ) AS doubt ON true
    JOIN prospect AS answered ON answered.account_id = ${accountId} AND answered.id = doubt.prospect_id
    WHERE own.account_id = ${accountId} AND own.id = ${id}`.execute(tx);
  return rows[0] ?? null;
}

async function countReplies(
  tx: Tx,
  accountId: number,
  prospectId: number,
): Promise<{ replied: 0 | 1; replies: number }> {
  const { rows } = await sql<{ isOpen: boolean; replies: number }>`
    SELECT coalesce(bool_or(kind <> 'auto_reply' AND handled_at IS NULL), false) AS "isOpen",
      count(*)::integer AS replies
    FROM reply WHERE account_id = ${accountId} AND prospect_id = ${prospectId}`.execute(tx);
  const [counts] = rows;
  return { replied: asFlag(counts?.isOpen ?? false), replies: counts?.replies ?? 0 };
}

async function readGroups(tx: Tx, accountId: number, prospectId: number): Promise<CompanyDetail['groups']> {
  const { rows } = await sql<{
    sender_group_id: number;
    group_name: string;
    active: boolean;
    remarks: string;
  }>`
    SELECT g.id AS sender_group_id, g.group_name, coalesce(own.active, true) AS active,
      coalesce(own.remarks, '') AS remarks
    FROM sender_group AS g
    LEFT JOIN active_prospect AS own
      ON own.account_id = g.account_id AND own.sender_group_id = g.id AND own.prospect_id = ${prospectId}
    WHERE g.account_id = ${accountId} AND g.active
    ORDER BY g.id`.execute(tx);
  const states = await readStates(tx, accountId, prospectId);
  return rows.map(({ active, ...group }) => ({
    ...group,
    remarks_version: contentVersion(group.remarks),
    active: asFlag(active),
    ...(states.get(group.sender_group_id) ?? {
      status: 'unsent',
      sent_at: null,
      send_at: null,
      reservation_id: null,
    }),
  }));
}
