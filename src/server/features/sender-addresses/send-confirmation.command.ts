import { SENDER_CONFIRMATION_HOURS } from '#domain/limits.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import { HOUR_MS } from '#domain/time-units.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { confirmationNotSent, wasNotTaken } from '../../platform/mail/mail-not-sent.ts';
import type { Mailer } from '../../platform/mail/system-mail.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { countMail, giveBackHourly, type HourlyLimit, limitKey } from '../../platform/rate-limit.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { hashOf, newSecret } from '../auth/secret.ts';
import { type Asker, senderConfirmationMail } from './confirmation-mail.ts';
import { confirmedAt } from './confirmed-address.queries.ts';

/** Mails per hour: of one account, and to one mailbox from all accounts. */
const MAILS_OF_ACCOUNT = 10;
const MAILS_TO_ADDRESS = 3;

interface Services {
  readonly now: () => number;
  readonly mailer: Mailer;
  /** The URL of the web client, without a slash at its end. */
  readonly publicUrl: string;
}

type Answer = { readonly status: 'sent' | 'confirmed' };

/**
 * Mails a secret to a sender's address, whose owner confirms the address with it.
 * An earlier secret of the sender becomes invalid. If the mail fails, no valid secret remains.
 * @returns `confirmed` and no mail where the address is confirmed already; 404, 429 or 503
 */
export async function sendSenderConfirmation(
  { now, mailer, publicUrl }: Services,
  account: MemberDb,
  senderId: number,
): Promise<Answer | Problem> {
  const secret = newSecret();
  const asked = await account.transaction((tx) => storeSecret(tx, account, senderId, { secret, now: now() }));
  if (asked instanceof Problem || 'status' in asked) return asked;
  const { address, asker } = asked;
  const outcome = await mailer(senderConfirmationMail(address, asker, `${publicUrl}/sender-confirmation/${secret}`));
  if (outcome.kind === 'sent') return { status: 'sent' };

  await account.transaction(async (tx) => {
    await tx
      .deleteFrom('sender_confirmation')
      .where('account_id', '=', account.id)
      .where('secret_hash', '=', hashOf(secret))
      .execute();
    // No mail server accepted it, so it does not count.
    if (wasNotTaken(outcome)) for (const limit of limitsOf(account.id, address)) await giveBackHourly(tx, limit);
  });
  return confirmationNotSent(outcome);
}

/** Replaces the sender's secret by the hash of a new one. @returns the address to mail, and who asked */
async function storeSecret(
  tx: Tx,
  { id: accountId, memberId }: MemberDb,
  senderId: number,
  { secret, now }: { secret: string; now: number },
): Promise<{ readonly address: string; readonly asker: Asker } | Answer | Problem> {
  const sender = await tx
    .selectFrom('sender')
    .select('email')
    .where('account_id', '=', accountId)
    .where('id', '=', senderId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!sender) return notFound();
  const address = sender.email;
  if ((await confirmedAt(tx, accountId, address)) !== null) return { status: 'confirmed' };
  const problem = await countMail(tx, limitsOf(accountId, address), now, '確認メールの送信回数が上限に達しました。');
  if (problem) return problem;
  const values = {
    email: address,
    secret_hash: hashOf(secret),
    expires_at: new Date(now + SENDER_CONFIRMATION_HOURS * HOUR_MS),
    sent_at: new Date(now),
  };
  await tx
    .insertInto('sender_confirmation')
    .values({ account_id: accountId, sender_id: senderId, ...values })
    .onConflict((conflict) => conflict.columns(['account_id', 'sender_id']).doUpdateSet(values))
    .execute();
  const detail = { sender_id: senderId, to: address };
  await recordAudit(tx, { accountId, memberId, kind: 'sender_confirmation_requested', detail });
  const asker = await tx
    .selectFrom('member')
    .innerJoin('account', 'account.id', 'member.account_id')
    .select(['member.name', 'member.email', 'account.company'])
    .where('member.account_id', '=', accountId)
    .where('member.id', '=', memberId)
    .executeTakeFirstOrThrow();
  return { address, asker };
}

/** The account's own counter is first, so that an account beyond it cannot use up the counter of a mailbox. */
const limitsOf = (accountId: number, address: string): HourlyLimit[] => [
  { key: limitKey('sender confirmation of', accountId), limit: MAILS_OF_ACCOUNT },
  { key: limitKey('sender confirmation to', addressKey(address)), limit: MAILS_TO_ADDRESS },
];
