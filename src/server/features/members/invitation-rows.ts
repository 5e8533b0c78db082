import { type RawBuilder, sql } from 'kysely';
import { INVITATION_DAYS } from '#domain/limits.ts';
import { DAY_MS } from '#domain/time-units.ts';
import type { Tx } from '../../platform/database/db.ts';
import { Problem } from '../../platform/problem.ts';
import { recordMemberAct } from '../audit/record-audit.ts';
import type { Purpose } from '../mailed-keys/mailed-key.ts';

/** The mailed key of an invitation. Its row stays, and names who accepted it. */
export const INVITATION: Purpose<'invitation'> = {
  table: 'invitation',
  expiry: 'expires_at',
  keepsRow: true,
  lifeMs: INVITATION_DAYS * DAY_MS,
  page: 'invitation',
  limits: { asker: ['invitations of', 50], mailbox: ['invitation to', 5] },
};

/** On a row of `invitation`: nobody has accepted or cancelled it, though its key may have expired. */
export const isOpen = sql<boolean>`(invitation.accepted_at IS NULL AND invitation.cancelled_at IS NULL)`;

/** On a row of `invitation`: who invited is an active admin still, so the invitation may be accepted. */
export const isBacked = sql<boolean>`EXISTS (SELECT FROM member
  WHERE member.account_id = invitation.account_id AND member.id = invitation.invited_by
    AND member.active AND member.role = 'admin')`;

/**
 * Cancels open invitations.
 * @param by who cancels them; memberId null: the operator
 * @param which a condition on rows of `invitation`
 */
export async function cancelOpen(
  tx: Tx,
  by: { readonly accountId: number; readonly memberId: number | null },
  which: RawBuilder<unknown>,
): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    UPDATE invitation SET cancelled_at = now(), secret_hash = NULL
    WHERE account_id = ${by.accountId} AND ${isOpen} AND ${which} RETURNING id`.execute(tx);
  for (const { id } of rows) await recordMemberAct(tx, by, 'invitation_cancelled', { invitation_id: id });
}

/** Locks an invitation. @returns undefined where the account has no such invitation */
export const lockInvitation = (tx: Tx, accountId: number, id: number) =>
  tx
    .selectFrom('invitation')
    .select(['email', 'accepted_at', 'cancelled_at', 'expires_at', 'invited_by'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();

type Locked = NonNullable<Awaited<ReturnType<typeof lockInvitation>>>;

/** Refuses an act on an invitation that was accepted or cancelled. */
export const endedProblem = ({ accepted_at, cancelled_at }: Locked): Problem | null =>
  accepted_at !== null ? accepted() : cancelled_at !== null ? cancelled() : null;

export const accepted = () =>
  new Problem('accepted', 'この招待は、すでに受け入れられています。画面を読み込み直してください。');
const cancelled = () => new Problem('cancelled', 'この招待は取り消されています。もう一度、招待してください。');
