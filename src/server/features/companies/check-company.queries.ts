import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { checkProspect } from '#contract/companies/companies-bulk.ts';
import { identityKey } from '#domain/company/prospect-identity.ts';
import { searchedName } from '#domain/company/prospect-search.ts';
import { parseMailAddress } from '#domain/mail/address.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import { addressee } from '#domain/mail/addressee.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { notFound, type Problem } from '../../platform/problem.ts';
import { chosenPersonId, companiesOfEither, sendToOf } from '../attack-list/chosen-address.queries.ts';
import { readSuppression } from '../suppressions/suppression.queries.ts';
import { loadCompany } from './company.queries.ts';

type Asked = z.output<(typeof checkProspect)['query']>;
type Answer = CallAnswer<typeof checkProspect>;

const MAX_OTHERS = 5;

/** Checks a company that a person is editing, before it is saved. */
export function checkCompany(account: AccountDb, asked: Asked): Promise<Answer | Problem> {
  return account.snapshot(async (tx) => {
    const { id, company_name = '', address = null, company_email = '', ceo } = asked;
    if (id !== undefined && !(await loadCompany(tx, account.id, id))) return notFound();
    const email = parseMailAddress(company_email);
    const written = email.ok ? email.address : null;
    const sharing = await findSharing(tx, account.id, id, written);
    return {
      addressee: addressee(ceo),
      similar: await findSimilar(tx, account.id, { id, company_name, address }),
      sharing: sharing.slice(0, MAX_OTHERS),
      sharing_total: sharing.length,
      suppressed: await readSuppression(tx, account.id, written),
      affected: await countAffected(tx, account.id, id),
    };
  });
}

/** A company being edited. id undefined: a new one. */
interface NamedCompany {
  readonly id?: number | undefined;
  readonly company_name: string;
  readonly address: string | null;
}

/**
 * Finds companies with the same name, also archived ones; those with the same address come first.
 * Width, case, white space and (株) for 株式会社 make no difference. The names of the whole list are scanned.
 */
export async function findSimilar(tx: Tx, accountId: number, company: NamedCompany): Promise<Answer['similar']> {
  const { id = 0, company_name, address } = company;
  const name = searchedName(company_name).replaceAll(' ', '');
  if (name === '') return [];
  const key = identityKey({ company_name, address });
  const { rows } = await sql<{
    id: number;
    company_name: string;
    address: string | null;
    archived: boolean;
    is_same: boolean;
  }>`
    SELECT id, company_name, address, archived_at IS NOT NULL AS archived, identity_key = ${key} AS is_same
    FROM prospect
    WHERE account_id = ${accountId} AND id <> ${id} AND id = ANY (
      array(
        SELECT id FROM prospect_search
        WHERE account_id = ${accountId} AND replace(name_search, ' ', '') = ${name} LIMIT 100)
      || array(
        SELECT id FROM prospect
        WHERE account_id = ${accountId} AND archived_at IS NOT NULL
          AND replace(split_part(identity_key, E'\\n', 1), ' ', '') = ${name} LIMIT 100))
    ORDER BY identity_key = ${key} DESC, archived_at IS NOT NULL, id
    LIMIT ${MAX_OTHERS}`.execute(tx);
  return rows.map(({ archived, is_same, ...other }) => ({
    ...other,
    archived: asFlag(archived),
    is_same: asFlag(is_same),
  }));
}

/** Finds other companies with this address, or whose main contact person has it; no archived ones: they get no mail. */
async function findSharing(
  tx: Tx,
  accountId: number,
  id: number | undefined,
  email: string | null,
): Promise<Answer['sharing']> {
  if (email === null) return [];
  const { rows } = await sql<{ id: number; company_name: string; address: string | null }>`
    SELECT id, company_name, address FROM prospect
    WHERE account_id = ${accountId} AND id <> ${id ?? 0}
      AND id IN (${companiesOfEither(accountId, [addressKey(email)])})
    ORDER BY id
    LIMIT 1000`.execute(tx);
  return rows.map((other) => ({ ...other, archived: 0 }));
}

/** Counts the real mails that a change of the company's own address would redirect. */
export async function countAffected(tx: Tx, accountId: number, id: number | undefined): Promise<Answer['affected']> {
  if (id === undefined) return { reserved: 0, queued: 0, sending: 0, failed: 0 };
  const isToCompany = (order: string) => sql`${chosenPersonId(sendToOf(order))} IS NULL`;
  const { rows } = await sql<Answer['affected']>`
    SELECT
      (SELECT count(*)::integer FROM reservation_target AS target
        JOIN reservation ON reservation.account_id = target.account_id AND reservation.id = target.reservation_id
        JOIN prospect ON prospect.account_id = target.account_id AND prospect.id = target.prospect_id
        WHERE target.account_id = ${accountId} AND target.prospect_id = ${id} AND target.pending
          AND NOT target.test_send_mode AND ${isToCompany('reservation')}) AS reserved,
      count(*) FILTER (WHERE state = 'queued')::integer AS queued,
      count(*) FILTER (WHERE state IN ('claimed', 'sending'))::integer AS sending,
      count(*) FILTER (WHERE state = 'failed' AND mail.blanked_at IS NULL)::integer AS failed
    FROM delivery AS mail
    JOIN send_log AS run ON run.account_id = mail.account_id AND run.id = mail.send_log_id
    JOIN prospect ON prospect.account_id = mail.account_id AND prospect.id = mail.prospect_id
    WHERE mail.account_id = ${accountId} AND mail.prospect_id = ${id} AND NOT mail.test_send_mode
      AND ${isToCompany('run')}`.execute(tx);
  return onlyRow(rows);
}
