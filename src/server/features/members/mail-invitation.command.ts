import type { sendInvitation as sendCall } from '#contract/account/invitations.ts';
import type { CallAnswer } from '#contract/call.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import type { AccountDb, MemberDb } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { lockAccount } from '../../platform/database/lock-account.ts';
import { countMail, giveBackHourly, type HourlyLimit } from '../../platform/limits/rate-limit.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { limitsOf, type MailServices, mailKey } from '../mailed-keys/mailed-key.ts';
import { type Inviter, invitationMail, invitedElsewhereMail } from '../mailed-keys/mails.ts';
import { adminProblem } from '../rights/not-allowed.ts';
import { endedProblem, INVITATION, lockInvitation } from './invitation-rows.ts';
import { teamProblem } from './member-rows.ts';

export interface InviteServices extends MailServices {
  /** A pool of the role kaitaku_login, which finds out whether an address is used anywhere. */
  readonly login: Db;
}

type Sent = CallAnswer<typeof sendCall>;

/** Sends an invitation again: with a new key, so the old link is dead. @returns 401, 403, 404, 409, 429 or 503 */
export async function sendAgain(services: InviteServices, account: MemberDb, id: number): Promise<Sent | Problem> {
  const { now } = services;
  const problem = await account.transaction(async (tx) => {
    await lockAccount(tx, account.id);
    const refused = await adminProblem(tx, account);
    if (refused) return refused;
    const invitation = await lockInvitation(tx, account.id, id);
    if (!invitation) return notFound();
    const { email, expires_at } = invitation;
    const ended = endedProblem(invitation) ?? (await memberProblem(tx, account.id, email));
    if (ended) return ended;
    const isExpired = expires_at.getTime() <= now();
    const full = isExpired ? await teamProblem(tx, account.id, { more: 1, now: now() }) : null;
    if (full) return full;
    const counted = await countInvitations(tx, account.id, [email], now());
    if (counted) return counted;
    await tx
      .updateTable('invitation')
      // Whoever sends it again invites: a leaver's invitations would not be accepted.
      .set({ invited_by: account.memberId, expires_at: new Date(now() + INVITATION.lifeMs) })
      .where('account_id', '=', account.id)
      .where('id', '=', id)
      .execute();
    return null;
  });
  return problem ?? mailInvitation(services, account, id);
}

async function memberProblem(tx: Tx, accountId: number, email: string): Promise<Problem | null> {
  const member = await tx
    .selectFrom('member')
    .select('id')
    .where('account_id', '=', accountId)
    .where((where) => where(where.fn<string>('lower', ['email']), '=', addressKey(email)))
    .executeTakeFirst();
  return member ? new Problem('already_member', 'このメールアドレスの人は、すでにメンバーです。') : null;
}

const TOO_MANY = '招待のメールの送信回数が上限に達しました。';

/** Counts a mail to each address towards the limits. If one is reached, none is counted. */
export async function countInvitations(
  tx: Tx,
  accountId: number,
  to: readonly string[],
  now: number,
): Promise<Problem | null> {
  const counted: HourlyLimit[] = [];
  for (const address of to) {
    const limits = limitsOf(INVITATION, accountId, address);
    const problem = await countMail(tx, limits, now, TOO_MANY);
    if (problem) {
      for (const limit of counted) await giveBackHourly(tx, limit);
      return problem;
    }
    counted.push(...limits);
  }
  return null;
}

/**
 * Mails an invitation that was counted and stored, without a key if a member of another account has the address.
 * @returns 404 for one that ended meanwhile; 503 if no server accepted the mail
 */
export async function mailInvitation(
  services: InviteServices,
  account: AccountDb,
  id: number,
): Promise<Sent | Problem> {
  const asked_at = new Date(services.now());
  const mailed = await mailKey<Problem>(services, account, INVITATION, async (tx, key) => {
    const invitation = await lockInvitation(tx, account.id, id);
    if (!invitation || endedProblem(invitation)) return notFound();
    const { email, invited_by } = invitation;
    const isElsewhere = await isUsedElsewhere(services.login, account.id, email);
    const inviter = await inviterOf(tx, account.id, invited_by);
    await tx
      .updateTable('invitation')
      // The expiry is new in both cases: an old one would show in the list that the address is used elsewhere.
      .set({ ...key, ...(isElsewhere && { secret_hash: null }), mail_state: 'sending', asked_at })
      .where('account_id', '=', account.id)
      .where('id', '=', id)
      .execute();
    return {
      mail: (link) => (isElsewhere ? invitedElsewhereMail(email, inviter) : invitationMail(email, inviter, link)),
      givenBack: limitsOf(INVITATION, account.id, email),
    };
  });
  const answer = mailed instanceof Problem ? mailed : ({ status: mailed.isCaught ? 'caught' : 'sent' } as const);
  await account.transaction((tx) =>
    tx
      .updateTable('invitation')
      .set({ mail_state: answer instanceof Problem ? 'failed' : answer.status })
      .where('account_id', '=', account.id)
      .where('id', '=', id)
      // A later mail, by another call, has its own state.
      .where('asked_at', '=', asked_at)
      .execute(),
  );
  return answer;
}

async function isUsedElsewhere(login: Db, accountId: number, email: string): Promise<boolean> {
  const member = await login
    .selectFrom('member')
    .select('id')
    .where((where) => where(where.fn<string>('lower', ['email']), '=', addressKey(email)))
    .where('account_id', '<>', accountId)
    .executeTakeFirst();
  return member !== undefined;
}

async function inviterOf(tx: Tx, accountId: number, invitedBy: number | null): Promise<Inviter> {
  return tx
    .selectFrom('member')
    .innerJoin('account', 'account.id', 'member.account_id')
    .select(['member.name', 'account.company'])
    .where('member.account_id', '=', accountId)
    .where('member.id', '=', invitedBy)
    .executeTakeFirstOrThrow();
}
