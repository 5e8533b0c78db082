import type { CallAnswer } from '#contract/call.ts';
import type { addSenderGroup, updateSenderGroup } from '#contract/senders/sender-groups.ts';
import { MAX_SENDER_GROUPS } from '#domain/limits.ts';
import { normalizeText } from '#domain/text/text-filter.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { changedMeanwhile, isStale } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import { lockAccount } from '../../platform/database/lock-account.ts';
import { fieldProblem, notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { countPendingReservations, hasReservations } from './sender-content.queries.ts';

interface Group {
  readonly id: number;
  readonly group_name: string;
  readonly active: boolean;
}

/** Adds a group without senders, in the caller's transaction. */
export async function addGroup(
  tx: Tx,
  { id: accountId, memberId }: MemberDb,
  group_name: string,
): Promise<CallAnswer<typeof addSenderGroup> | Problem> {
  const groups = await lockGroups(tx, accountId);
  if (groups.length >= MAX_SENDER_GROUPS) return tooManyGroups();
  if (isTaken(groups, group_name)) return nameTaken('add_info.group_name');
  const { id } = await tx
    .insertInto('sender_group')
    .values({ account_id: accountId, group_name })
    .returning('id')
    .executeTakeFirstOrThrow();
  const detail = { sender_group_id: id, group_name };
  await recordAudit(tx, { accountId, memberId, kind: 'sender_group_added', detail });
  return { status: 'added', id };
}

/**
 * Renames a group, unless it was renamed since `version`; deactivates or reactivates it. A repeated change succeeds.
 * @returns 404 for an unknown group; 409 for a taken name, a group with reservations, and the last active group
 */
export function updateGroup(
  { id: accountId, memberId, transaction }: MemberDb,
  id: number,
  change: { readonly group_name?: string | undefined; readonly active?: boolean | undefined },
  version: string | undefined,
): Promise<CallAnswer<typeof updateSenderGroup> | Problem> {
  return transaction(async (tx) => {
    const groups = await lockGroups(tx, accountId);
    const group = groups.find((known) => known.id === id);
    if (!group) return notFound();
    const wanted = { group_name: change.group_name ?? group.group_name, active: change.active ?? group.active };
    const isRenamed = wanted.group_name !== group.group_name;
    const isSwitched = wanted.active !== group.active;
    if (!(isRenamed || isSwitched)) return { status: 'updated' };
    const others = groups.filter((known) => known !== group);
    if (isRenamed) {
      const path = 'update_info.group_name';
      if (isStale(version, group.group_name)) return changedMeanwhile('group_changed', { what: 'グループ名を', path });
      if (isTaken(others, wanted.group_name)) return nameTaken(path);
    }
    if (isSwitched && !wanted.active) {
      if (!others.some(({ active }) => active)) return lastActiveGroup();
      const reservations = await countPendingReservations(tx, accountId, { sender_group_id: id });
      if (reservations > 0) return hasReservations(reservations, 'group');
    }
    await tx.updateTable('sender_group').set(wanted).where('account_id', '=', accountId).where('id', '=', id).execute();
    const detail = {
      sender_group_id: id,
      ...(isRenamed && { group_name: wanted.group_name }),
      ...(isSwitched && { active: wanted.active }),
    };
    await recordAudit(tx, { accountId, memberId, kind: 'sender_group_changed', detail });
    return { status: 'updated' };
  });
}

/**
 * Locks an account's groups, which also blocks new orders and reservations of them.
 * Locks the account's row first, as every addition or renaming does.
 */
async function lockGroups(tx: Tx, accountId: number): Promise<Group[]> {
  await lockAccount(tx, accountId);
  return tx
    .selectFrom('sender_group')
    .select(['id', 'group_name', 'active'])
    .where('account_id', '=', accountId)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

/** Compares names without width and case. */
const isTaken = (groups: readonly Group[], name: string): boolean =>
  groups.some(({ group_name }) => normalizeText(group_name) === normalizeText(name));

function nameTaken(path: string): Problem {
  const message = '同じ名前のグループがあります';
  return fieldProblem(path, 'group_name_taken', message);
}

const tooManyGroups = () =>
  new Problem(
    'too_many_groups',
    `送信者グループは${MAX_SENDER_GROUPS}までです。使わないグループの名前を変えて使ってください。`,
  );

const lastActiveGroup = () =>
  new Problem(
    'last_active_group',
    'ほかに有効なグループがないため、無効にできません。先に、別のグループを追加するか、有効にしてください。',
  );
