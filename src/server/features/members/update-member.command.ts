import { sql } from 'kysely';
import type { z } from 'zod';
import type { updateMember as updateCall } from '#contract/account/members.ts';
import type { CallAnswer } from '#contract/call.ts';
import type { AccountDb, MemberKey } from '../../platform/database/account-db.ts';
import { changedMeanwhile } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import { lockAccount, lockGroups } from '../../platform/database/lock-account.ts';
import { fieldProblem, notFound, Problem } from '../../platform/problem.ts';
import { recordMemberAct } from '../audit/record-audit.ts';
import { removeSecondStep } from '../auth/second-step/two-factor.command.ts';
import { adminProblem } from '../rights/not-allowed.ts';
import { cancelOpen } from './invitation-rows.ts';
import { groupsProblem, lockMember, type MemberState, memberVersion, teamProblem, writeState } from './member-rows.ts';
import { cancelNoticeMails, type Stop, stopMember } from './stop-member.command.ts';

type Body = Omit<z.output<(typeof updateCall)['body']>, 'current_password'>;
type Answer = CallAnswer<typeof updateCall>;

interface Told {
  /** Called with the address of a member whose second step is removed. */
  readonly onStepRemoved?: (email: string) => void;
  /** Called with each mailbox of a stopped member. */
  readonly onEnded?: Stop['onEnded'];
}

/**
 * Changes role, groups and activity of a member, unless they have changed since `version`. A repeated change succeeds.
 * Locks the account, all groups, the member and its reservations, in this order.
 * @param account of an admin, or of the operator (memberId null), who names no version
 * @param now epoch milliseconds
 * @param told what the caller does after the commit
 * @returns the new version and how many sessions ended; 400, 401, 403, 404 or 409
 */
export function updateMember(
  account: AccountDb,
  id: number,
  { version, update_info, hand_over_to, confirmed }: Omit<Body, 'version'> & Partial<Body>,
  now: number,
  { onStepRemoved = () => {}, onEnded = () => {} }: Told = {},
): Promise<Answer | Problem> {
  const key = { accountId: account.id, memberId: id };
  const by = { accountId: account.id, memberId: account.memberId };
  return account.transaction(async (tx) => {
    await lockAccount(tx, account.id);
    const refused = await adminProblem(tx, account);
    if (refused) return refused;
    // Orders and reservations of the member end before a stop, or find it.
    if (update_info.active === 0) await lockGroups(tx, account.id);
    const before = await lockMember(tx, key);
    if (!before) return notFound();
    const after = stateAfter(before, update_info);
    const wrong = await groupsProblem(tx, account.id, after, 'update_info.sender_group_ids');
    if (wrong) return wrong;
    if (update_info.two_factor === 0 && id === account.memberId) return ownStep();
    const next = memberVersion(after);
    let ended: number | Problem = 0;
    // A client that lost the first answer repeats its request: the content is already stored.
    if (next !== memberVersion(before)) {
      if (version !== undefined && version !== memberVersion(before)) return changedMeanwhile('member_changed', {});
      const problem = await changeProblem(tx, key, { before, after, now });
      if (problem) return problem;
      const stop = {
        by,
        handOverTo: hand_over_to ?? null,
        isConfirmed: confirmed === 1 || by.memberId === null,
        onEnded,
      };
      ended = await writeChange(tx, key, { before, after, ...stop });
      if (ended instanceof Problem) return ended;
    }
    // After all refusals: a returned problem does not roll back.
    const removed = update_info.two_factor === 0 ? await removeStep(tx, key, { by, onStepRemoved }) : 0;
    return { status: 'updated', version: next, sessions_ended: ended + removed };
  });
}

/** Refuses to remove the caller's own second step, which asks a code. */
function ownStep(): Problem {
  const message = '自分の二段階認証は、アカウントの「セキュリティ」でオフにしてください';
  return fieldProblem('update_info.two_factor', 'invalid_input', message);
}

/** Removes the member's second step. @returns how many sessions ended */
async function removeStep(
  tx: Tx,
  key: MemberKey,
  { by, onStepRemoved }: Pick<Stop, 'by'> & { readonly onStepRemoved: (email: string) => void },
): Promise<number> {
  const ended = await removeSecondStep(tx, key);
  if (ended === null) return 0;
  await recordMemberAct(tx, by, 'member_two_factor_removed', { member_id: key.memberId });
  const { email } = await tx
    .selectFrom('member')
    .select('email')
    .where('account_id', '=', key.accountId)
    .where('id', '=', key.memberId)
    .executeTakeFirstOrThrow();
  onStepRemoved(email);
  return ended;
}

/** Returns the state after a change. A new role without given groups acts in all, or in none. */
function stateAfter(
  before: MemberState,
  { role = before.role, sender_group_ids, active }: Body['update_info'],
): MemberState {
  const kept = role === 'sales' ? before.groups : null;
  const groups = sender_group_ids === undefined ? kept : sender_group_ids;
  return {
    role,
    groups: groups && [...new Set(groups)].sort((a, b) => a - b),
    active: active === undefined ? before.active : active === 1,
  };
}

interface Change {
  readonly before: MemberState;
  readonly after: MemberState;
}

/** Writes a change that is permitted, with all that ends by it. @returns how many sessions ended; 400 or 409 */
async function writeChange(
  tx: Tx,
  key: MemberKey,
  { before, after, ...stop }: Change & Stop,
): Promise<number | Problem> {
  const { by } = stop;
  const ended = before.active && !after.active ? await stopMember(tx, key, stop) : 0;
  if (ended instanceof Problem) return ended;
  await writeState(tx, key, before, after, by.memberId);
  if (isAdmin(before) && !isAdmin(after)) await cancelOpen(tx, by, sql`invitation.invited_by = ${key.memberId}`);
  // Mails about what happened before the stop; one may have been scheduled beside it.
  if (after.active && !before.active) await cancelNoticeMails(tx, key);
  await auditChange(tx, key.memberId, { before, after, by });
  return ended;
}

async function changeProblem(
  tx: Tx,
  key: MemberKey,
  { before, after, now }: Change & { readonly now: number },
): Promise<Problem | null> {
  if (isAdmin(before) && !isAdmin(after) && !(await hasOtherAdmin(tx, key))) return lastAdmin();
  return after.active && !before.active ? teamProblem(tx, key.accountId, { more: 1, isBack: true, now }) : null;
}

const isAdmin = ({ role, active }: MemberState): boolean => active && role === 'admin';

async function hasOtherAdmin(tx: Tx, { accountId, memberId }: MemberKey): Promise<boolean> {
  const other = await tx
    .selectFrom('member')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '<>', memberId)
    .where('role', '=', 'admin')
    .where('active', '=', true)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

const lastAdmin = () =>
  new Problem('last_admin', '最後の管理者のため、変更できません。先にほかの人を管理者にしてください。');

/** Records what changed, apart from a stop, which is recorded with its hand-over. */
async function auditChange(tx: Tx, member_id: number, { before, after, by }: Change & Pick<Stop, 'by'>): Promise<void> {
  if (after.role !== before.role)
    await recordMemberAct(tx, by, 'role_changed', { member_id, from: before.role, to: after.role });
  if (after.groups?.join() !== before.groups?.join())
    await recordMemberAct(tx, by, 'member_groups_changed', { member_id, from: before.groups, to: after.groups });
  if (after.active && !before.active) await recordMemberAct(tx, by, 'member_brought_back', { member_id });
}
