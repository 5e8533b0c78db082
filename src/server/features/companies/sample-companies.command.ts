import { sql } from 'kysely';
import type { CallAnswer } from '#contract/call.ts';
import type { addSampleCompanies, removeSampleCompanies } from '#contract/companies/companies-bulk.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { countRows, ownRows } from '../../platform/database/list-rows.ts';
import { lockAccount } from '../../platform/database/lock-account.ts';
import { Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { type CompaniesMax, refuseAdded } from '../prospects/companies-max.queries.ts';
import { recordChange } from './change-log.ts';
import { readCompany } from './company-fields.ts';
import { SAMPLE_ROWS } from './sample-companies.ts';
import { columnsOf } from './save-company.queries.ts';

/**
 * Adds the sample companies, and restores archived ones.
 * A company of the account with the same name and address is left as it is, and does not become a sample.
 * @param now epoch milliseconds
 */
export const addSamples = (
  account: MemberDb,
  { companiesMax }: CompaniesMax,
  now: number,
): Promise<CallAnswer<typeof addSampleCompanies>> =>
  account.transaction(async (tx) => {
    const { id: accountId, memberId } = account;
    await lockAccount(tx, accountId);
    const restored = await archiveSamples(tx, account, false);
    let added = 0;
    for (const row of SAMPLE_ROWS) if (await addSample(tx, account, row, now)) added += 1;
    await refuseAdded(tx, accountId, companiesMax, restored + added);
    const detail = { companies: restored + added };
    if (detail.companies > 0) {
      await recordAudit(tx, { accountId, memberId, kind: 'sample_companies_added', detail });
    }
    const companies = await countRows(tx, 'sample_company', ownRows('sample_company', accountId));
    return { status: 'added', companies };
  });

async function addSample(
  tx: Tx,
  { id: accountId, memberId }: MemberDb,
  row: (typeof SAMPLE_ROWS)[number],
  now: number,
): Promise<boolean> {
  const company = readCompany(row, { place: 'add_info', now });
  if (company instanceof Problem) throw new Error(`a sample company is refused: ${company.message}`);
  const added = await tx
    .insertInto('prospect')
    .values({
      account_id: accountId,
      ...(await columnsOf(tx, accountId, company)),
      company_name: row.company_name,
      identity_key: company.identityKey,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'identity_key']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!added) return false;
  await tx.insertInto('sample_company').values({ account_id: accountId, prospect_id: added.id }).execute();
  await recordChange(tx, { accountId, memberId, prospectId: added.id, kind: 'added' });
  return true;
}

/** Archives the listed samples, or restores the archived ones. @returns how many */
async function archiveSamples(tx: Tx, { id: accountId, memberId }: MemberDb, archived: boolean): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    UPDATE prospect SET archived_at = CASE WHEN ${archived} THEN now() END
    FROM sample_company AS sample
    WHERE sample.account_id = ${accountId} AND prospect.account_id = ${accountId}
      AND prospect.id = sample.prospect_id AND (prospect.archived_at IS NULL) = ${archived}
    RETURNING prospect.id`.execute(tx);
  const kind = archived ? 'archived' : 'restored';
  for (const { id } of rows) await recordChange(tx, { accountId, memberId, prospectId: id, kind });
  return rows.length;
}

/** Deletes the sample companies. Those with mails or reservations are archived, because those rows name them. */
export const removeSamples = (account: MemberDb): Promise<CallAnswer<typeof removeSampleCompanies>> =>
  account.transaction(async (tx) => {
    const { id: accountId, memberId } = account;
    await lockAccount(tx, accountId);
    // Waits for mails and reservations being accepted: their rows hold locks, and the next statement sees them.
    await sql`
      SELECT FROM prospect JOIN sample_company AS sample
        ON sample.account_id = prospect.account_id AND sample.prospect_id = prospect.id
      WHERE prospect.account_id = ${accountId}
      ORDER BY prospect.id FOR UPDATE OF prospect`.execute(tx);
    const { rows } = await sql<{ id: number }>`
      DELETE FROM prospect USING sample_company AS sample
      WHERE sample.account_id = ${accountId} AND prospect.account_id = ${accountId}
        AND prospect.id = sample.prospect_id
        AND NOT EXISTS (
          SELECT FROM delivery WHERE account_id = ${accountId} AND prospect_id = sample.prospect_id)
        AND NOT EXISTS (
          SELECT FROM reservation_target WHERE account_id = ${accountId} AND prospect_id = sample.prospect_id)
        AND NOT EXISTS (
          SELECT FROM recorded_contact WHERE account_id = ${accountId} AND prospect_id = sample.prospect_id)
      RETURNING prospect.id`.execute(tx);
    const companies = rows.length + (await archiveSamples(tx, account, true));
    if (companies > 0) {
      await recordAudit(tx, { accountId, memberId, kind: 'sample_companies_removed', detail: { companies } });
    }
    return { status: 'removed', companies };
  });
