import { sql } from 'kysely';
import { SENDER_CONFIRMATION_HOURS } from '#domain/limits.ts';
import { HOUR_MS } from '#domain/time-units.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { byKey } from '../../platform/database/list-rows.ts';
import { countMail } from '../../platform/limits/rate-limit.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { groupProblem } from '../rights/group-problem.ts';
import { confirmAddress, confirmedAt } from '../sender-addresses/confirmed-address.queries.ts';
import {
  accountOfKey,
  limitsOf,
  type MailServices,
  mailKey,
  type Purpose,
  takeKey,
  type VisitorServices,
} from './mailed-key.ts';
import { senderConfirmationMail } from './mails.ts';

const SENDER_CONFIRMATION: Purpose<'sender_confirmation'> = {
  table: 'sender_confirmation',
  expiry: 'expires_at',
  keepsRow: false,
  lifeMs: SENDER_CONFIRMATION_HOURS * HOUR_MS,
  page: 'sender-confirmation',
  limits: { asker: ['sender confirmation of', 10], mailbox: ['sender confirmation to', 3] },
};

/**
 * Mails a key to a sender's address, so that its owner can confirm the address.
 * @returns `confirmed` without a mail if the address is confirmed already; 404, 429 or 503
 */
export const sendSenderConfirmation = (
  services: MailServices,
  account: MemberDb,
  senderId: number,
): Promise<{ readonly status: 'sent' | 'confirmed' } | Problem> =>
  mailKey<Problem | { readonly status: 'confirmed' }>(services, account, SENDER_CONFIRMATION, async (tx, key) => {
    const { id: accountId, memberId } = account;
    const sender = await tx
      .selectFrom('sender')
      .innerJoin('sender_profile', byKey('sender_profile', 'sender.profile_id'))
      .select('sender_profile.email')
      .where('sender.account_id', '=', accountId)
      .where('sender.id', '=', senderId)
      .forNoKeyUpdate('sender_profile')
      .executeTakeFirst();
    if (!sender) return notFound();
    const refused = await groupProblem(tx, account, 'sender', senderId);
    if (refused) return refused;
    const { email } = sender;
    if ((await confirmedAt(tx, accountId, email)) !== null) return { status: 'confirmed' };
    const [limits, now] = [limitsOf(SENDER_CONFIRMATION, accountId, email), services.now()];
    const problem = await countMail(tx, limits, now, '確認メールの送信回数が上限に達しました。');
    if (problem) return problem;
    const values = { ...key, email, sent_at: new Date(now) };
    await tx
      .insertInto('sender_confirmation')
      .values({ account_id: accountId, sender_id: senderId, ...values })
      .onConflict((conflict) => conflict.columns(['account_id', 'sender_id']).doUpdateSet(values))
      .execute();
    const detail = { sender_id: senderId, to: email };
    await recordAudit(tx, { accountId, memberId, kind: 'sender_confirmation_requested', detail });
    const asker = await tx
      .selectFrom('member')
      .innerJoin('account', 'account.id', 'member.account_id')
      .select(['member.name', 'member.email', 'account.company'])
      .where('member.account_id', '=', accountId)
      .where('member.id', '=', memberId)
      .executeTakeFirstOrThrow();
    return { mail: (link) => senderConfirmationMail(email, asker, link), givenBack: limits };
  });

/**
 * Confirms a sender's address with the mailed key. All failures get the same answer.
 * @param callerAccountId the caller's account; null: not logged in. Another account's key is refused, so that nobody
 * confirms a stranger's address by mistake
 */
export async function takeSenderConfirmation(
  { login, now, accountDb }: VisitorServices,
  key: string,
  callerAccountId: number | null,
): Promise<{ readonly status: 'confirmed'; readonly email: string } | Problem> {
  const accountId = await accountOfKey(login, SENDER_CONFIRMATION, key);
  if (accountId === undefined || (callerAccountId !== null && callerAccountId !== accountId)) return invalid();
  return accountDb(accountId, null).transaction(async (tx) => {
    // A change of the address deletes the row. The comparison covers addresses set by SQL.
    const used = await takeKey(
      tx,
      SENDER_CONFIRMATION,
      { accountId, secret: key, now: now() },
      sql`EXISTS (
        SELECT FROM sender
        JOIN sender_profile AS profile ON profile.account_id = sender.account_id AND profile.id = sender.profile_id
        WHERE sender.account_id = ${accountId} AND sender.id = sender_confirmation.sender_id
          AND profile.email = sender_confirmation.email)`,
    );
    if (!used) return invalid();
    const { sender_id, email } = used;
    await confirmAddress(tx, accountId, email);
    const detail = { sender_id, email };
    await recordAudit(tx, { accountId, memberId: null, kind: 'sender_address_confirmed', detail });
    return { status: 'confirmed', email };
  });
}

const invalid = () =>
  new Problem('invalid_confirmation', 'このリンクは使えません。もう一度、確認メールを送ってください。');
