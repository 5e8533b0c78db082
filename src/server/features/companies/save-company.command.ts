import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import { createProspect, type updateProspect } from '#contract/companies/companies.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { changedMeanwhile } from '../../platform/database/content-version.ts';
import { createOnce } from '../../platform/database/create-once.ts';
import type { Tx } from '../../platform/database/db.ts';
import { shareAccount } from '../../platform/database/lock-account.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { type CompaniesMax, refuseAdded } from '../prospects/companies-max.queries.ts';
import { recordChange } from './change-log.ts';
import { lastChange, loadCompany, versionOf } from './company.queries.ts';
import { changesBetween, readCompany } from './company-fields.ts';
import { columnsOf, findIdentity, nameOf, retryAsDuplicate, similarCompany } from './save-company.queries.ts';

/** Adds a company. @param now epoch milliseconds @returns 400 with the faults of the fields, or 409 */
export function addCompany(
  account: MemberDb,
  {
    body,
    key,
    companiesMax,
  }: CompaniesMax & { body: z.output<(typeof createProspect)['body']>; key: string | undefined },
  now: number,
): Promise<CallAnswer<typeof createProspect> | Problem> {
  const company = readCompany(body.add_info, { place: 'add_info', now });
  if (company instanceof Problem) return Promise.resolve(company);
  const { id: accountId, memberId } = account;
  return retryAsDuplicate(() =>
    createOnce(account, { call: createProspect, key, input: body }, async (tx) => {
      await lockErasures(tx, accountId);
      const identity = await findIdentity(tx, accountId, company);
      if (identity instanceof Problem) return identity;
      const problem = await similarCompany(tx, accountId, undefined, company, body.acknowledged);
      if (problem) return problem;
      const { id } = await tx
        .insertInto('prospect')
        .values({
          account_id: accountId,
          ...(await columnsOf(tx, accountId, company)),
          company_name: nameOf(company),
          identity_key: identity,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await refuseAdded(tx, accountId, companiesMax, 1);
      await recordChange(tx, { accountId, memberId, prospectId: id, kind: 'added' });
      await recordAudit(tx, { accountId, memberId, kind: 'company_added', detail: { prospect_id: id } });
      return { status: 'added' as const, id, version: versionOf(company.values) };
    }),
  );
}

/** The fields that identify a company. */
const IDENTITY_FIELDS = ['company_name', 'address', 'corporate_number'] as const;

/**
 * Saves edited values, unless the company has changed since `version`.
 * A repeated save of the same values succeeds without a change.
 * @param now epoch milliseconds
 * @returns 400 with the faults of the fields; 404; or 409
 */
export function updateCompany(
  account: MemberDb,
  id: number,
  { version, update_info, acknowledged }: z.output<(typeof updateProspect)['body']>,
  now: number,
): Promise<CallAnswer<typeof updateProspect> | Problem> {
  const { id: accountId, memberId } = account;
  return retryAsDuplicate(() =>
    account.transaction(async (tx) => {
      await lockErasures(tx, accountId);
      const stored = await loadCompany(tx, accountId, id, { lock: true });
      if (!stored) return notFound();
      const company = readCompany(update_info, { place: 'update_info', present: stored, now });
      if (company instanceof Problem) return company;
      const changes = changesBetween(stored, company.values);
      const next = versionOf(company.values);
      if (Object.keys(changes).length === 0) return { status: 'updated', id, version: next };
      if (version !== versionOf(stored)) return companyChanged(tx, accountId, id);
      // Otherwise the stored key is kept: companies older than a rule of identity may share the new key.
      const isRenamed = IDENTITY_FIELDS.some((field) => field in changes);
      const identity = isRenamed ? await findIdentity(tx, accountId, company, id) : undefined;
      if (identity instanceof Problem) return identity;
      if ('company_name' in changes) {
        const problem = await similarCompany(tx, accountId, id, company, acknowledged);
        if (problem) return problem;
      }
      await tx
        .updateTable('prospect')
        .set({
          ...(await columnsOf(tx, accountId, company)),
          ...(identity !== undefined && { identity_key: identity }),
          updated_at: sql<Date>`now()`,
        })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .execute();
      await recordChange(tx, { accountId, memberId, prospectId: id, kind: 'edited', changes });
      await recordAudit(tx, { accountId, memberId, kind: 'company_changed', detail: { prospect_id: id } });
      return { status: 'updated', id, version: next };
    }),
  );
}

/** Without this lock an erasure would miss the new address, and the company would be listed without its opt-outs. */
const lockErasures = shareAccount;

/** Returns 409 with the member who changed the company, and when. */
async function companyChanged(tx: Tx, accountId: number, id: number): Promise<Problem> {
  const last = await lastChange(tx, accountId, id);
  return changedMeanwhile('company_changed', { by: last?.name, at: last?.at });
}

type Updated = { status: 'updated'; id: number };

/** Archives a company. An archived one stays unchanged. @returns 404 */
export const archive = (account: MemberDb, id: number): Promise<Updated | Problem> => setArchived(account, id, true);

/** Restores an archived company. A listed one stays unchanged. @returns 404 or 409 */
export const restore = (account: MemberDb, id: number, { companiesMax }: CompaniesMax): Promise<Updated | Problem> =>
  setArchived(account, id, false, companiesMax);

function setArchived(
  account: MemberDb,
  id: number,
  archived: boolean,
  companiesMax = Number.POSITIVE_INFINITY,
): Promise<Updated | Problem> {
  const { id: accountId, memberId } = account;
  return account.transaction(async (tx) => {
    const stored = await loadCompany(tx, accountId, id, { lock: true });
    if (!stored) return notFound();
    if ((stored.archived_at !== null) === archived) return { status: 'updated', id };
    await tx
      .updateTable('prospect')
      .set({ archived_at: archived ? sql<Date>`now()` : null })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .execute();
    if (!archived) await refuseAdded(tx, accountId, companiesMax, 1);
    const kind = archived ? 'archived' : 'restored';
    await recordChange(tx, { accountId, memberId, prospectId: id, kind });
    await recordAudit(tx, { accountId, memberId, kind: `company_${kind}`, detail: { prospect_id: id } });
    return { status: 'updated', id };
  });
}
