import { type Expression, type SqlBool, sql } from 'kysely';
import type { CallAnswer } from '#contract/call.ts';
import {
  MAX_SHOWN_CHANGES,
  MAX_SHOWN_COMPANIES,
  MAX_SHOWN_MAILS,
  type viewPersonalData,
} from '#contract/companies/personal-data.ts';
import { listProspects } from '#contract/companies/prospects.ts';
import { addressKey, domainOf } from '#domain/mail/address-key.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { readOwnTexts } from '../own-fields/own-detail.queries.ts';
import { showChanges } from '../own-fields/shown-changes.queries.ts';
import { countFiles } from './erase-copies.queries.ts';
import { answersOf, findSubject, mailsOf, type Subject } from './stored.queries.ts';

type PersonalData = CallAnswer<typeof viewPersonalData>;

/** Reads everything stored about an address, and audits that a member did. */
export function view(account: MemberDb, email: string): Promise<PersonalData> {
  const { id: accountId, memberId } = account;
  const address = addressKey(email);
  return account.transaction(async (tx) => {
    const subject = await findSubject(tx, accountId, address);
    const { companies: ids } = subject;
    const mails = await readMails(tx, accountId, subject);
    const mailIds = mails.map(({ delivery_id }) => delivery_id);
    const data: PersonalData = {
      companies: await readCompanies(tx, accountId, ids),
      people: await readPeopleOf(tx, accountId, subject),
      changes: await readChanges(tx, accountId, subject),
      mails,
      bounces: await readBounces(tx, accountId, mailIds),
      replies: await readReplies(tx, accountId, answersOf(ids, address, mailIds)),
      suppressions: await readSuppressions(tx, accountId, address),
      invitations: await readInvitations(tx, accountId, address),
      files: await countFiles(tx, accountId),
      erased: await isErased(tx, accountId, address),
    };
    const detail = { companies: data.companies.length, mails: data.mails.length };
    await recordAudit(tx, { accountId, memberId, kind: 'personal_data_shown', detail });
    return data;
  });
}

const COLUMNS = listProspects.response.element.keyof().options;

async function readCompanies(tx: Tx, accountId: number, ids: readonly number[]): Promise<PersonalData['companies']> {
  const companies = await tx
    .selectFrom('prospect')
    .select([...COLUMNS, 'external_id', 'archived_at', 'created_at', 'updated_at'])
    .where('account_id', '=', accountId)
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .orderBy('id')
    .limit(MAX_SHOWN_COMPANIES)
    .execute();
  const { rows: remarks } = await sql<{ prospect_id: number; group_name: string; remarks: string }>`
    SELECT own.prospect_id, sender_group.group_name, own.remarks
    FROM active_prospect AS own
    JOIN sender_group ON sender_group.account_id = own.account_id AND sender_group.id = own.sender_group_id
    WHERE own.account_id = ${accountId} AND own.prospect_id = ANY (${ids}::bigint[]) AND own.remarks <> ''
    ORDER BY own.sender_group_id`.execute(tx);
  const own = await readOwnTexts(
    tx,
    accountId,
    companies.map(({ id }) => id),
  );
  return companies.map(({ archived_at, created_at, updated_at, ...company }) => ({
    ...(company as Omit<
      PersonalData['companies'][number],
      'archived' | 'created_at' | 'updated_at' | 'remarks' | 'tags' | 'custom'
    >),
    ...(own.get(company.id) ?? { tags: [], custom: [] }),
    archived: asFlag(archived_at !== null),
    created_at: formatSecond(created_at.getTime()),
    updated_at: formatSecond(updated_at.getTime()),
    remarks: remarks
      .filter(({ prospect_id }) => prospect_id === company.id)
      .map(({ group_name, remarks: text }) => ({ group_name, remarks: text })),
  }));
}

async function readPeopleOf(tx: Tx, accountId: number, { people }: Subject): Promise<PersonalData['people']> {
  type Row = Omit<PersonalData['people'][number], 'is_primary' | 'archived' | 'created_at' | 'updated_at'> & {
    isPrimary: boolean;
    archived_at: Date | null;
    created_at: Date;
    updated_at: Date;
  };
  const { rows } = await sql<Row>`
    SELECT person.id, person.prospect_id, prospect.company_name, person.name, person.department, person.title,
      person.email, person.phone, person.met_on, coalesce(prospect.person_id = person.id, false) AS "isPrimary",
      person.archived_at, person.created_at, person.updated_at
    FROM person JOIN prospect ON prospect.account_id = person.account_id AND prospect.id = person.prospect_id
    WHERE person.account_id = ${accountId} AND person.id = ANY (${people}::bigint[])
    ORDER BY person.id
    LIMIT ${MAX_SHOWN_COMPANIES}`.execute(tx);
  return rows.map(({ isPrimary, archived_at, created_at, updated_at, ...person }) => ({
    ...person,
    is_primary: asFlag(isPrimary),
    archived: asFlag(archived_at !== null),
    created_at: formatSecond(created_at.getTime()),
    updated_at: formatSecond(updated_at.getTime()),
  }));
}

async function readChanges(
  tx: Tx,
  accountId: number,
  { companies, people, companiesOfPeople }: Subject,
): Promise<PersonalData['changes']> {
  const { rows } = await sql<{ prospect_id: number; at: Date; field: string; old: unknown; new: unknown }>`
    SELECT prospect_id, at, field, pair -> 0 AS old, pair -> 1 AS new
    FROM prospect_change CROSS JOIN LATERAL jsonb_each(changes) AS changed (field, pair)
    WHERE account_id = ${accountId} AND (prospect_id = ANY (${companies}::bigint[])
      OR prospect_id = ANY (${companiesOfPeople}::bigint[]) AND split_part(field, '.', 1) = 'person'
        AND split_part(field, '.', 2) = ANY (${people}::bigint[]::text[]))
    ORDER BY id DESC, field
    LIMIT ${MAX_SHOWN_CHANGES}`.execute(tx);
  const shown = await showChanges(tx, accountId, rows);
  return shown.map((row) => ({ ...row, at: formatSecond(row.at.getTime()) }));
}

async function readMails(tx: Tx, accountId: number, subject: Subject): Promise<PersonalData['mails']> {
  type Row = Omit<PersonalData['mails'][number], 'at' | 'test_send_mode'> & { at: Date; test_send_mode: boolean };
  const { rows } = await sql<Row>`
    SELECT d.id AS delivery_id, d.send_log_id, coalesce(d.finished_at, d.created_at) AS at,
      log.mail ->> 'subject' AS subject, log.mail -> 'sender' ->> 'email' AS from, d.mail_to, d.company_name,
      d.person_in_charge, CASE d.state WHEN 'claimed' THEN 'queued' ELSE d.state END AS state, d.smtp_reply,
      d.test_send_mode
    FROM delivery d JOIN send_log log ON log.account_id = d.account_id AND log.id = d.send_log_id
    WHERE ${mailsOf(accountId, subject)}
    ORDER BY d.id DESC
    LIMIT ${MAX_SHOWN_MAILS}`.execute(tx);
  return rows.map((row) => ({
    ...row,
    at: formatSecond(row.at.getTime()),
    test_send_mode: asFlag(row.test_send_mode),
  }));
}

async function readBounces(tx: Tx, accountId: number, mails: readonly number[]): Promise<PersonalData['bounces']> {
  const rows = await tx
    .selectFrom('bounce')
    .select(['delivery_id', 'at', sql<PersonalData['bounces'][number]['class']>`class`.as('class'), 'reply'])
    .where('account_id', '=', accountId)
    .where('delivery_id', '=', sql<number>`any(${mails}::bigint[])`)
    .orderBy('at', 'desc')
    .orderBy('class')
    .execute();
  return rows.map((row) => ({ ...row, at: formatSecond(row.at.getTime()) }));
}

async function readReplies(tx: Tx, accountId: number, isTheirs: Expression<SqlBool>): Promise<PersonalData['replies']> {
  const { rows } = await sql<Omit<PersonalData['replies'][number], 'at'> & { at: Date }>`
    SELECT prospect_id, at, kind, from_address AS from, subject, excerpt FROM reply
    WHERE account_id = ${accountId} AND ${isTheirs}
    ORDER BY id DESC
    LIMIT ${MAX_SHOWN_MAILS}`.execute(tx);
  return rows.map((row) => ({ ...row, at: formatSecond(row.at.getTime()) }));
}

async function readSuppressions(tx: Tx, accountId: number, address: string): Promise<PersonalData['suppressions']> {
  type Row = Omit<PersonalData['suppressions'][number], 'created_at' | 'lifted_at'> & {
    created_at: Date;
    lifted_at: Date | null;
  };
  const domain = domainOf(address);
  const isOurs = sql`account_id = ${accountId}
    AND (kind = 'address' AND value = ${address} OR kind = 'domain' AND value = ${domain})`;
  const { rows } = await sql<Row>`
    SELECT kind, value, class, source, reason, note, created_at, NULL::timestamptz AS lifted_at
    FROM suppression WHERE ${isOurs}
    UNION ALL
    SELECT kind, value, class, source, reason, note, created_at, lifted_at FROM lifted_suppression WHERE ${isOurs}
    ORDER BY created_at, class`.execute(tx);
  return rows.map((row) => ({
    ...row,
    created_at: formatSecond(row.created_at.getTime()),
    lifted_at: row.lifted_at && formatSecond(row.lifted_at.getTime()),
  }));
}

async function readInvitations(tx: Tx, accountId: number, address: string): Promise<PersonalData['invitations']> {
  const { rows } = await sql<{ created_at: Date; invited_by: string | null }>`
    SELECT invitation.created_at, member.name AS invited_by
    FROM invitation
    LEFT JOIN member ON member.account_id = invitation.account_id AND member.id = invitation.invited_by
    WHERE invitation.account_id = ${accountId} AND lower(invitation.email) = ${address}
      AND invitation.accepted_at IS NULL
    ORDER BY invitation.id DESC`.execute(tx);
  return rows.map(({ created_at, invited_by }) => ({ created_at: formatSecond(created_at.getTime()), invited_by }));
}

async function isErased(tx: Tx, accountId: number, address: string): Promise<0 | 1> {
  const { rows } = await sql<{ erased: boolean }>`
    SELECT EXISTS (
      SELECT FROM suppression_hash WHERE account_id = ${accountId} AND hash = address_hash(${accountId}, ${address})
    ) OR EXISTS (
      SELECT FROM delivery
      WHERE account_id = ${accountId} AND erased_hash = (SELECT address_hash(${accountId}, ${address}))
        AND blanked_at IS NULL
    ) AS erased`.execute(tx);
  return asFlag(onlyRow(rows).erased);
}
