import { sql } from 'kysely';
import type { z } from 'zod';
import { PASSWORD_MESSAGES } from '#contract/account/auth.ts';
import type { acceptInvitation as acceptCall, checkInvitation as checkCall } from '#contract/account/invitations.ts';
import type { CallAnswer } from '#contract/call.ts';
import type { Role } from '#domain/account/role.ts';
import { lockAccount } from '../../platform/database/lock-account.ts';
import { fieldProblem, Problem } from '../../platform/problem.ts';
import { orAddressTaken } from '../account/move-address.command.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { newPasswordFault } from '../auth/common-passwords.ts';
import { tooBusy } from '../auth/guess-limit.ts';
import { inHashSlot } from '../auth/hash-slots.ts';
import { hashPassword } from '../auth/password.ts';
import { accountOfKey, hasKey, takeKey, type VisitorServices } from '../mailed-keys/mailed-key.ts';
import { INVITATION, isBacked, isOpen } from './invitation-rows.ts';
import { addMember } from './member-rows.ts';

/** Shows who invites whom, without redeeming the key. @returns 400 with one answer for all invalid keys */
export async function checkInvitation(
  services: VisitorServices,
  key: string,
): Promise<CallAnswer<typeof checkCall> | Problem> {
  const found = await findInvitation(services, key);
  if (!found) return invalidKey();
  const { company, email, role, invited_by } = found;
  return { company, email, role, invited_by };
}

async function findInvitation({ login, now, accountDb }: VisitorServices, secret: string) {
  const accountId = await accountOfKey(login, INVITATION, secret);
  if (accountId === undefined) return undefined;
  // A transaction although it only reads, because it refuses a frozen account.
  return accountDb(accountId, null).transaction(async (tx) => {
    const { rows } = await sql<{ accountId: number; company: string; email: string; role: Role; invited_by: string }>`
      SELECT account.id AS "accountId", account.company, invitation.email, invitation.role, inviter.name AS invited_by
      FROM invitation
      JOIN account ON account.id = ${accountId}
      JOIN member AS inviter ON inviter.account_id = ${accountId} AND inviter.id = invitation.invited_by
      WHERE ${hasKey(INVITATION, { accountId, secret, now: now() })} AND ${isOpen} AND ${isBacked}`.execute(tx);
    return rows[0];
  });
}

/**
 * Makes the invited person a member. The key works once, also for concurrent calls. Nothing is hashed for an invalid
 * key. A refused password leaves it valid.
 * @returns 400, 409 or 503
 */
export async function acceptInvitation(
  services: VisitorServices,
  { key, name, new_password }: z.output<(typeof acceptCall)['body']>,
): Promise<CallAnswer<typeof acceptCall> | Problem> {
  const found = await findInvitation(services, key);
  if (!found) return invalidKey();
  const { accountId } = found;
  const fault = newPasswordFault(new_password, [found.email, name, found.company]);
  if (fault) return fieldProblem('new_password', 'invalid_password', PASSWORD_MESSAGES[fault]);
  const password_hash = await inHashSlot(() => hashPassword(new_password));
  if (password_hash === null) return tooBusy();
  const person = { name, password_hash };
  return orAddressTaken(
    services.accountDb(accountId, null).transaction(async (tx) => {
      await lockAccount(tx, accountId);
      const now = services.now();
      const also = sql<boolean>`${isOpen} AND ${isBacked}`;
      const taken = await takeKey(tx, INVITATION, { accountId, secret: key, now }, also);
      if (!taken) return invalidKey();
      // No limit is asked: the member takes the place that the open invitation had.
      // node-postgres returns the numbers of a bigint[] as text.
      const groups = taken.sender_group_ids?.map(Number) ?? null;
      const memberId = await addMember(tx, accountId, {
        ...person,
        email: taken.email,
        role: taken.role as Role,
        groups,
      });
      await tx
        .updateTable('invitation')
        .set({ accepted_at: new Date(now), member_id: memberId })
        .where('account_id', '=', accountId)
        .where('id', '=', taken.id)
        .execute();
      const detail = { invitation_id: taken.id, email: taken.email, role: taken.role as Role };
      await recordAudit(tx, { accountId, memberId, kind: 'invitation_accepted', detail });
      return { status: 'accepted' as const };
    }),
    new Problem('address_in_use', 'このメールアドレスは、すでにKaitakuの別のアカウントで使われています。'),
  );
}

const invalidKey = () =>
  new Problem('invalid_key', 'このリンクは使えません。招待した方に、もう一度招待を送るよう依頼してください。');
