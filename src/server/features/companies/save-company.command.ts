import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import { createProspect, type updateProspect } from '#contract/company.ts';
import { COMPANY_FIELDS } from '#contract/company-fields.ts';
import { numberedKey } from '#domain/prospect-identity.ts';
import { industryText } from '#domain/text-filter.ts';
import { formatMinute } from '#domain/tokyo-time.ts';
import type { MemberDb } from '../../platform/account-db.ts';
import { createOnce } from '../../platform/create-once.ts';
import type { Tx } from '../../platform/db.ts';
import { violatedKey } from '../../platform/db.ts';
import { shareAccount } from '../../platform/lock-account.ts';
import { fieldConflict, notFound, Refusal } from '../../platform/refusal.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { ProspectRow } from '../prospect-import/check-row.ts';
import { recordChange } from './change-log.ts';
import { findSimilar } from './check-company.queries.ts';
import { lastChange, loadCompany, versionOf } from './company.queries.ts';
import { changesBetween, readCompany } from './company-fields.ts';

/** What a company is known by. */
const IDENTITY_FIELDS = ['company_name', 'address', 'corporate_number'] as const;

/** Adds a company. @param now epoch milliseconds @returns 400 with the faults of the fields, or 409 */
export function addCompany(
  account: MemberDb,
  { body, key }: { body: z.output<(typeof createProspect)['body']>; key: string | undefined },
  now: number,
): Promise<CallAnswer<typeof createProspect> | Refusal> {
  const company = readCompany(body.add_info, { place: 'add_info', now });
  if (company instanceof Refusal) return Promise.resolve(company);
  const { id: accountId, memberId } = account;
  return orSameCompany(() =>
    createOnce(account, { call: createProspect, key, input: body }, async (tx) => {
      await keepOutErasures(tx, accountId);
      const identity = await findIdentity(tx, accountId, company);
      if (identity instanceof Refusal) return identity;
      const refused = await refuseSimilar(tx, accountId, undefined, company, body.acknowledged);
      if (refused) return refused;
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
      await recordChange(tx, { accountId, memberId, prospectId: id, kind: 'added' });
      await recordAudit(tx, { accountId, memberId, kind: 'company_added', detail: { prospect_id: id } });
      return { status: 'added' as const, id, version: versionOf(company.values) };
    }),
  );
}

/**
 * Saves what a person changed, unless the company has changed since `version`.
 * A repeated save of the same values succeeds without a change.
 * @param now epoch milliseconds
 * @returns 400 with the faults of the fields; 404; or 409
 */
export function updateCompany(
  account: MemberDb,
  id: number,
  { version, update_info, acknowledged }: z.output<(typeof updateProspect)['body']>,
  now: number,
): Promise<CallAnswer<typeof updateProspect> | Refusal> {
  const { id: accountId, memberId } = account;
  return orSameCompany(() =>
    account.transaction(async (tx) => {
      await keepOutErasures(tx, accountId);
      const stored = await loadCompany(tx, accountId, id, { lock: true });
      if (!stored) return notFound();
      const company = readCompany(update_info, { place: 'update_info', present: stored, now });
      if (company instanceof Refusal) return company;
      const changes = changesBetween(stored, company.values);
      const next = versionOf(company.values);
      if (Object.keys(changes).length === 0) return { status: 'updated', id, version: next };
      if (version !== versionOf(stored)) return changedMeanwhile(tx, accountId, id);
      // Otherwise the stored key stays: companies that were there before a rule of identity may share the new one.
      const isRenamed = IDENTITY_FIELDS.some((field) => field in changes);
      const identity = isRenamed ? await findIdentity(tx, accountId, company, id) : undefined;
      if (identity instanceof Refusal) return identity;
      if ('company_name' in changes) {
        const refused = await refuseSimilar(tx, accountId, id, company, acknowledged);
        if (refused) return refused;
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

/** An erasure would not see the address yet, and the company would be listed without its refusals. */
const keepOutErasures = shareAccount;

const nameOf = ({ values }: ProspectRow): string => String(values.company_name);

/** Returns 409 with who has changed the company, and when. */
async function changedMeanwhile(tx: Tx, accountId: number, id: number): Promise<Refusal> {
  const last = await lastChange(tx, accountId, id);
  const who = last?.name ? `${last.name}さん` : 'ほかの人';
  const when = last ? `${formatMinute(last.at.getTime())}に` : '';
  const message = `${who}が${when}変更しました。内容を確かめてから、保存してください。`;
  return new Refusal(409, 'company_changed', message);
}

const sameCompany = (field: 'company_name' | 'corporate_number', message: string) =>
  fieldConflict(field, 'same_company', message);
const SAME_NAME = '同じ会社名と住所の会社があります。';
const SAME_NUMBER = '同じ法人番号の会社があります。';
/** By the unique indexes of companies. */
const SAME_BY_KEY: Readonly<Record<string, Refusal>> = {
  prospect_corporate_number_key: sameCompany('corporate_number', SAME_NUMBER),
  prospect_account_id_identity_key_key: sameCompany('company_name', SAME_NAME),
};

/**
 * Finds the identity key of a company that is saved. Two companies with the same name and address stay apart only by
 * their corporate numbers (decision 0125).
 * @param id undefined: the company is new
 * @returns the key, or 409 where the company is another one
 */
async function findIdentity(tx: Tx, accountId: number, company: ProspectRow, id = 0): Promise<string | Refusal> {
  const { identityKey, values } = company;
  const number = values.corporate_number === null ? null : String(values.corporate_number);
  const { rows } = await sql<{ identity_key: string; corporate_number: string | null }>`
    SELECT identity_key, corporate_number FROM prospect
    WHERE account_id = ${accountId} AND id <> ${id}
      AND (identity_key = ${identityKey} OR corporate_number = ${number})`.execute(tx);
  if (rows.some((other) => number !== null && other.corporate_number === number)) {
    return sameCompany('corporate_number', SAME_NUMBER);
  }
  const [twin] = rows;
  if (twin === undefined) return identityKey;
  if (number === null || twin.corporate_number === null) return sameCompany('company_name', SAME_NAME);
  return numberedKey(identityKey, number);
}

/** Refuses a name that another company has, until the person has seen it. */
async function refuseSimilar(
  tx: Tx,
  accountId: number,
  id: number | undefined,
  company: ProspectRow,
  acknowledged: 0 | 1 | undefined,
): Promise<Refusal | null> {
  if (acknowledged === 1) return null;
  const { address } = company.values;
  const named = { id, company_name: nameOf(company), address: address === null ? null : String(address) };
  const [similar] = await findSimilar(tx, accountId, named);
  if (similar === undefined) return null;
  const message = `似た会社があります（${similar.company_name}）。同じ会社でないか確かめてください。`;
  return new Refusal(409, 'similar_company', message);
}

/** Runs `save`. Another request may add the same company at the same moment: the unique keys decide. */
async function orSameCompany<Answer>(save: () => Promise<Answer>): Promise<Answer | Refusal> {
  try {
    return await save();
  } catch (error) {
    const refusal = SAME_BY_KEY[violatedKey(error) ?? ''];
    if (!refusal) throw error;
    return refusal;
  }
}

/** Returns the columns of a company as an import would write them, without its identity key. */
export async function columnsOf(tx: Tx, accountId: number, { values, ...company }: ProspectRow) {
  const fields = Object.fromEntries(COMPANY_FIELDS.map((field) => [field, values[field]]));
  return {
    ...(fields as object),
    address_search: company.addressSearch,
    email_search: company.emailSearch,
    major_industry_id: await industryId(tx, accountId, values.major_industry_type),
    included_industry_id: await industryId(tx, accountId, values.included_industry_type),
  };
}

/** Finds or adds the number of an industry value (decision 0064). */
async function industryId(tx: Tx, accountId: number, value: string | number | null): Promise<number | null> {
  const name_search = industryText(String(value ?? ''));
  if (name_search === '') return null;
  const find = () =>
    tx
      .selectFrom('industry')
      .select('id')
      .where('account_id', '=', accountId)
      .where('name_search', '=', name_search)
      .executeTakeFirst();
  const known = await find();
  if (known) return known.id;
  const added = await tx
    .insertInto('industry')
    .values({ account_id: accountId, name_search, name: String(value) })
    .onConflict((conflict) => conflict.columns(['account_id', 'name_search']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return added?.id ?? (await find())?.id ?? null;
}
