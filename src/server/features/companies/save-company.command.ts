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
import type { ProspectRow } from '../imports/read/cells/check-row.ts';
import { readOwnState } from '../own-fields/own-detail.queries.ts';
import { applyOwn } from '../own-fields/write-own.command.ts';
import { type CompaniesMax, refuseAdded } from '../prospects/companies-max.queries.ts';
import { recordChange } from './change-log.ts';
import { lastChange, loadCompany, versionOf } from './company.queries.ts';
import { changesBetween, readCompany } from './company-fields.ts';
import { joinFaults, type OwnSave, readOwnInfo } from './own-info.ts';
import {
  columnsOf,
  findExternalId,
  findIdentity,
  nameOf,
  retryAsDuplicate,
  similarCompany,
} from './save-company.queries.ts';

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
  const { id: accountId, memberId } = account;
  const place = 'add_info';
  return retryAsDuplicate(() =>
    createOnce(account, { call: createProspect, key, input: body }, async (tx) => {
      await lockErasures(tx, accountId);
      const company = readCompany(body.add_info, { place, now });
      const state = await readOwnState(tx, accountId, null);
      const own = readOwnInfo(body.add_info, { place, state, externalId: null });
      if (company instanceof Problem || own instanceof Problem) return joinFaults(company, own);
      const taken = await findExternalId(tx, accountId, own.next.externalId);
      if (taken) return taken;
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
      await applyOwn(tx, { accountId }, [{ prospectId: id, ...own.write }]);
      await recordChange(tx, { accountId, memberId, prospectId: id, kind: 'added' });
      await recordAudit(tx, { accountId, memberId, kind: 'company_added', detail: { prospect_id: id } });
      return { status: 'added' as const, id, version: versionOf(company.values, own.next) };
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
      const place = 'update_info';
      const company = readCompany(update_info, { place, present: stored, now });
      const state = await readOwnState(tx, accountId, id);
      const own = readOwnInfo(update_info, { place, state, externalId: stored.external_id });
      if (company instanceof Problem || own instanceof Problem) return joinFaults(company, own);
      const ofColumns = changesBetween(stored, company.values);
      const changes = { ...ofColumns, ...own.changes };
      const next = versionOf(company.values, own.next);
      if (Object.keys(changes).length === 0) return { status: 'updated', id, version: next };
      const before = { ...state.row, externalId: stored.external_id };
      if (version !== versionOf(stored, before)) return companyChanged(tx, accountId, id);
      const identity = await findOthers(tx, accountId, id, { company, changes, own, acknowledged });
      if (identity instanceof Problem) return identity;
      // Each update of a company rewrites its row of prospect_search.
      if (Object.keys(ofColumns).length > 0) await storeColumns(tx, accountId, id, { company, identity });
      await applyOwn(tx, { accountId }, [{ prospectId: id, ...own.write }]);
      await recordChange(tx, { accountId, memberId, prospectId: id, kind: 'edited', changes });
      await recordAudit(tx, { accountId, memberId, kind: 'company_changed', detail: { prospect_id: id } });
      return { status: 'updated', id, version: next };
    }),
  );
}

interface Edit {
  readonly company: ProspectRow;
  readonly changes: Readonly<Record<string, unknown>>;
  readonly own: OwnSave;
  readonly acknowledged: 0 | 1 | undefined;
}

/**
 * Looks for other companies that an edited one would equal or resemble.
 * @returns the new identity key; undefined: it stays. Companies older than a rule of identity may share the new key.
 */
async function findOthers(
  tx: Tx,
  accountId: number,
  id: number,
  { company, changes, own, acknowledged }: Edit,
): Promise<string | undefined | Problem> {
  const taken = 'external_id' in changes ? await findExternalId(tx, accountId, own.next.externalId) : null;
  if (taken) return taken;
  const isRenamed = IDENTITY_FIELDS.some((field) => field in changes);
  const identity = isRenamed ? await findIdentity(tx, accountId, company, id) : undefined;
  if (identity instanceof Problem || !('company_name' in changes)) return identity;
  return (await similarCompany(tx, accountId, id, company, acknowledged)) ?? identity;
}

async function storeColumns(
  tx: Tx,
  accountId: number,
  id: number,
  { company, identity }: { readonly company: ProspectRow; readonly identity: string | undefined },
): Promise<void> {
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
