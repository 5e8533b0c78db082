import { sql } from 'kysely';
import type { z } from 'zod';
import {
  invite as inviteCall,
  type NotInvited,
  type SkippedAddress,
  type updateInvitation as updateCall,
} from '#contract/account/invitations.ts';
import type { CallAnswer } from '#contract/call.ts';
import { parseMailAddress } from '#domain/mail/address.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { createOnce } from '../../platform/database/create-once.ts';
import type { Tx } from '../../platform/database/db.ts';
import { lockAccount } from '../../platform/database/lock-account.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { adminProblem } from '../rights/not-allowed.ts';
import { accepted, cancelOpen, INVITATION, isOpen, lockInvitation } from './invitation-rows.ts';
import { countInvitations } from './mail-invitation.command.ts';
import { groupsProblem, teamProblem } from './member-rows.ts';

type AddInfo = z.output<(typeof inviteCall)['body']>['add_info'];

/**
 * Invites people by their addresses. The mails follow the answer, one by one (mailInvitation).
 * @param now epoch milliseconds
 * @returns the answer, and the ids of the invitations that are to be mailed; 400, 401, 403, 404, 409 or 429
 */
export async function invite(
  account: MemberDb,
  { body, key }: { readonly body: z.output<(typeof inviteCall)['body']>; readonly key: string | undefined },
  now: number,
): Promise<{ readonly answer: CallAnswer<typeof inviteCall> | Problem; readonly added: readonly number[] }> {
  let added: readonly number[] = [];
  const answer = await createOnce(account, { call: inviteCall, key, input: body }, async (tx) => {
    await lockAccount(tx, account.id);
    const refused = await adminProblem(tx, account);
    if (refused) return refused;
    const { emails, role, sender_group_ids: groups } = body.add_info;
    const wrong = await groupsProblem(tx, account.id, { role, groups }, 'add_info.sender_group_ids');
    if (wrong) return wrong;
    const { wanted, skipped } = await sortAddresses(tx, account.id, emails, now);
    const problem =
      (await teamProblem(tx, account.id, { more: wanted.length, now })) ??
      (await countInvitations(tx, account.id, wanted, now));
    if (problem) return problem;
    added = await insertInvitations(tx, account, body.add_info, wanted, now);
    return { status: 'added' as const, invited: wanted.length, skipped };
  });
  return { answer, added: answer instanceof Problem ? [] : added };
}

/** Splits the typed addresses into those to invite and those to skip, each once. */
async function sortAddresses(
  tx: Tx,
  accountId: number,
  emails: readonly string[],
  now: number,
): Promise<{ readonly wanted: readonly string[]; readonly skipped: SkippedAddress[] }> {
  const skipped: SkippedAddress[] = [];
  const addresses = new Map<string, string>();
  const skip = (email: string, reason: NotInvited) => skipped.push({ email, reason });
  for (const email of emails) {
    const parsed = parseMailAddress(email);
    if (!parsed.ok) skip(email, 'invalid');
    else if (addresses.has(addressKey(parsed.address))) skip(email, 'repeated');
    else addresses.set(addressKey(parsed.address), parsed.address);
  }
  const { rows } = await sql<{ key: string; reason: NotInvited }>`
    SELECT lower(email) AS key, CASE WHEN active THEN 'already_member' ELSE 'stopped' END AS reason FROM member
    WHERE account_id = ${accountId} AND lower(email) = ANY (${[...addresses.keys()]}::text[])
    UNION ALL
    SELECT lower(email), 'already_invited' FROM invitation
    WHERE account_id = ${accountId} AND lower(email) = ANY (${[...addresses.keys()]}::text[])
      AND ${isOpen} AND expires_at > ${new Date(now)}`.execute(tx);
  for (const { key, reason } of rows) {
    const address = addresses.get(key);
    if (address !== undefined && addresses.delete(key)) skip(address, reason);
  }
  return { wanted: [...addresses.values()], skipped };
}

/** @returns the ids of the new invitations */
async function insertInvitations(
  tx: Tx,
  { id: accountId, memberId }: MemberDb,
  { role, sender_group_ids }: AddInfo,
  emails: readonly string[],
  now: number,
): Promise<number[]> {
  // An expired invitation of an address makes room for the new one, and stays in the list as expired.
  await sql`
    UPDATE invitation SET cancelled_at = expires_at, secret_hash = NULL
    WHERE account_id = ${accountId} AND lower(email) = ANY (${emails.map(addressKey)}::text[]) AND ${isOpen}`.execute(
    tx,
  );
  const ids = [];
  for (const email of emails) {
    const { id } = await tx
      .insertInto('invitation')
      .values({
        account_id: accountId,
        email,
        role,
        sender_group_ids: sender_group_ids === null ? null : [...sender_group_ids],
        invited_by: memberId,
        expires_at: new Date(now + INVITATION.lifeMs),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await recordAudit(tx, { accountId, memberId, kind: 'member_invited', detail: { invitation_id: id, email, role } });
    ids.push(id);
  }
  return ids;
}

/** Cancels an invitation. A repeated call succeeds. @returns 401, 403, 404 or 409 */
export const cancelInvitation = (account: MemberDb, id: number): Promise<CallAnswer<typeof updateCall> | Problem> =>
  account.transaction(async (tx) => {
    await lockAccount(tx, account.id);
    const refused = await adminProblem(tx, account);
    if (refused) return refused;
    const invitation = await lockInvitation(tx, account.id, id);
    if (!invitation) return notFound();
    if (invitation.accepted_at !== null) return accepted();
    await cancelOpen(tx, { accountId: account.id, memberId: account.memberId }, sql`invitation.id = ${id}`);
    return { status: 'updated' };
  });
