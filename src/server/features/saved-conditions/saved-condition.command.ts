import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { addSavedCondition, updateSavedCondition } from '#contract/companies/saved-conditions.ts';
import { normalizeText } from '#domain/text/text-filter.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { changedMeanwhile, contentVersion, isStale } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import { lockAccount } from '../../platform/database/lock-account.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { checkFilter } from '../prospects/list/own-condition.queries.ts';
import { ownsSenderGroup } from '../prospects/list/sender-group.queries.ts';
import { versioned } from './read-condition.ts';
import { isFull, isTaken, nameTaken, tooMany } from './saved-condition.queries.ts';

type AddInfo = z.output<(typeof addSavedCondition)['body']>['add_info'];

type WhereInfo = AddInfo['where_info'];

/** Saves a condition, in the caller's transaction. */
export async function addCondition(
  tx: Tx,
  { id: accountId, memberId }: MemberDb,
  { name, is_shared = 0, where_info }: AddInfo,
): Promise<CallAnswer<typeof addSavedCondition> | Problem> {
  const owner = { accountId, ownerId: is_shared === 1 ? null : memberId };
  const refused = await refusedParts(tx, accountId, where_info);
  if (refused) return refused;
  await lockAccount(tx, accountId);
  if (await isFull(tx, owner)) return tooMany(owner);
  if (await isTaken(tx, owner, name)) return nameTaken('add_info.name');
  const { id } = await tx
    .insertInto('saved_condition')
    .values({
      account_id: accountId,
      owner_id: owner.ownerId,
      member_id: memberId,
      name,
      name_key: normalizeText(name),
      where_info: storedForm(where_info),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const detail = { saved_condition_id: id, is_shared: is_shared === 1 };
  await recordAudit(tx, { accountId, memberId, kind: 'condition_saved', detail });
  return { status: 'added', id };
}

type Update = z.output<(typeof updateSavedCondition)['body']>;

/**
 * Renames, shares, replaces or deletes a condition of the member or of the account, unless it has changed since
 * `version`.
 * @returns 404 for a condition of another member; 409 also for a taken name and too many conditions
 */
export function updateCondition(
  { id: accountId, memberId, transaction }: MemberDb,
  id: number,
  { version, update_info: { active, ...change } }: Update,
): Promise<CallAnswer<typeof updateSavedCondition> | Problem> {
  return transaction(async (tx) => {
    const refused = await refusedParts(tx, accountId, change.where_info);
    if (refused) return refused;
    await lockAccount(tx, accountId);
    const known = await tx
      .selectFrom('saved_condition')
      .leftJoin('member', (join) =>
        join.on('member.account_id', '=', accountId).onRef('member.id', '=', 'saved_condition.member_id'),
      )
      .select([
        'saved_condition.name',
        'owner_id',
        'where_info',
        'member.name as by',
        'saved_condition.updated_at as at',
      ])
      .where('saved_condition.account_id', '=', accountId)
      .where('saved_condition.id', '=', id)
      .where(sql<boolean>`(owner_id IS NULL OR owner_id = ${memberId})`)
      .executeTakeFirst();
    if (!known) return notFound();
    const stored = versioned(known);
    const { by, at } = known;
    const changed = () => changedMeanwhile('condition_changed', { by, at, what: 'この条件を' });
    const wasShared = known.owner_id === null;
    if (active === 0)
      return isStale(version, stored) ? changed() : removeCondition(tx, { accountId, memberId, id, wasShared });
    const isShared = change.is_shared === undefined ? wasShared : change.is_shared === 1;
    const owner = { accountId, ownerId: isShared ? null : memberId };
    const name = change.name ?? known.name;
    const where_info = change.where_info ? partsOf(change.where_info) : known.where_info;
    if (contentVersion(versioned({ name, owner_id: owner.ownerId, where_info })) === contentVersion(stored)) {
      return { status: 'updated' };
    }
    if (isStale(version, stored)) return changed();
    if (owner.ownerId !== known.owner_id && (await isFull(tx, owner))) return tooMany(owner);
    if (await isTaken(tx, owner, name, id)) return nameTaken('update_info.name');
    await tx
      .updateTable('saved_condition')
      .set({
        owner_id: owner.ownerId,
        member_id: memberId,
        name,
        name_key: normalizeText(name),
        updated_at: sql`now()`,
        ...(change.where_info && { where_info: storedForm(change.where_info) }),
      })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .execute();
    const fields = Object.entries(change).flatMap(([field, value]) => (value === undefined ? [] : [field]));
    const detail = { saved_condition_id: id, fields, is_shared: isShared };
    await recordAudit(tx, { accountId, memberId, kind: 'condition_changed', detail });
    return { status: 'updated' };
  });
}

async function removeCondition(
  tx: Tx,
  { accountId, memberId, id, wasShared }: { accountId: number; memberId: number; id: number; wasShared: boolean },
) {
  await tx.deleteFrom('saved_condition').where('account_id', '=', accountId).where('id', '=', id).execute();
  const detail = { saved_condition_id: id, is_shared: wasShared };
  await recordAudit(tx, { accountId, memberId, kind: 'condition_removed', detail });
  return { status: 'updated' as const };
}

const storedForm = (where_info: WhereInfo): string => JSON.stringify(partsOf(where_info));

/** Blank parts are no conditions. */
const partsOf = (where_info: WhereInfo) =>
  Object.fromEntries(Object.entries(where_info).filter(([, value]) => value !== '' && value !== undefined));

/** Refuses a group, an own field or a tag that the account does not have, or no longer uses. */
async function refusedParts(
  tx: Tx,
  accountId: number,
  { sender_group_id: senderGroupId, status: _status, ...filter }: Partial<WhereInfo> = {},
): Promise<Problem | undefined> {
  if (senderGroupId !== undefined && !(await ownsSenderGroup(tx, { accountId, senderGroupId }))) return notFound();
  const checked = await checkFilter(tx, accountId, filter);
  return checked instanceof Problem ? checked : undefined;
}
