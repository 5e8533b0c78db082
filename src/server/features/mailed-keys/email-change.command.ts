import type { z } from 'zod';
import type { sendConfirmation as sendCall } from '#contract/email-change.ts';
import { parseMailAddress } from '#domain/mail/address.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import { HOUR_MS } from '#domain/time-units.ts';
import { type MemberDb, type MemberKey, memberKeyOf } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import type { UrlOf } from '../../platform/http/hosts.ts';
import { countMail, giveBackHourly, type HourlyLimit, limitKey } from '../../platform/limits/rate-limit.ts';
import type { Mailer } from '../../platform/mail/system-mail.ts';
import { confirmationNotSent, wasNotTaken } from '../../platform/mail/system-mail.ts';
import { Problem } from '../../platform/problem.ts';
import { hashOf, newSecret } from '../auth/secret.ts';
import { addressInUseMail, confirmationMail } from './email-change-mails.ts';
import { isPendingChangeOf } from './pending-change.queries.ts';

const TICKET_MS = 10 * 60 * 1000;

/** Issues a ticket for one mail to the pending address. An earlier ticket becomes invalid. */
export async function issueTicket(account: MemberDb, now: number): Promise<string | Problem> {
  const ticket = newSecret();
  const issued = await account.transaction((tx) =>
    tx
      .updateTable('email_change')
      .set({ ticket_hash: hashOf(ticket), ticket_expires_at: new Date(now + TICKET_MS) })
      .where(isPendingChangeOf(memberKeyOf(account)))
      .returning('account_id')
      .executeTakeFirst(),
  );
  return issued ? ticket : noPendingAddress();
}

const noPendingAddress = () =>
  new Problem(
    400,
    'no_pending_email',
    '確認するメールアドレスがありません。新しいメールアドレスを保存してから、やり直してください。',
  );

/** What the calls of a change need. */
export interface Services {
  /** Looks an address up among all members. */
  readonly login: Db;
  readonly now: () => number;
  readonly mailer: Mailer;
  /** The origin at which an account's members open the web client, without a slash at its end. */
  readonly urlOf: UrlOf;
}

type Asked = z.output<(typeof sendCall)['body']>;

/**
 * Redeems the ticket and mails the secret to the pending address.
 * The answer does not reveal whether the address is taken: its owner then gets another mail, and nobody gets the
 * secret. If the mail fails, no valid secret remains.
 */
export async function sendConfirmation(services: Services, account: MemberDb, asked: Asked): Promise<Problem | null> {
  const { login, now, mailer, urlOf } = services;
  const member = memberKeyOf(account);
  const secret = newSecret();
  const address = await account.transaction((tx) => exchange(tx, member, asked, secret, now()));
  if (address instanceof Problem) return address;

  const inUse = await login
    .selectFrom('member')
    .select('id')
    .where((where) => where(where.fn<string>('lower', ['email']), '=', addressKey(address)))
    .executeTakeFirst();
  const outcome = await mailer(
    inUse ? addressInUseMail(address) : confirmationMail(address, `${urlOf(account.id)}/confirmation/${secret}`),
  );
  if (outcome.kind === 'sent') return null;

  await account.transaction(async (tx) => {
    await tx
      .updateTable('email_change')
      .set({ secret_hash: null, secret_expires_at: null })
      .where('account_id', '=', member.accountId)
      .where('member_id', '=', member.memberId)
      .where('secret_hash', '=', hashOf(secret))
      .execute();
    // No mail server accepted it, so it does not count.
    if (wasNotTaken(outcome)) for (const limit of limitsOf(member, address)) await giveBackHourly(tx, limit);
  });
  return confirmationNotSent(outcome);
}

const SECRET_MS = HOUR_MS;

/** Replaces the ticket by the hash of the secret. @returns the pending address */
async function exchange(
  tx: Tx,
  member: MemberKey,
  asked: Asked,
  secret: string,
  now: number,
): Promise<string | Problem> {
  const change = await tx
    .selectFrom('email_change')
    .select('email')
    .where(isPendingChangeOf(member))
    .where('ticket_hash', '=', hashOf(asked.confirmation_token))
    .where('ticket_expires_at', '>', new Date(now))
    .forUpdate('email_change')
    .executeTakeFirst();
  const named = parseMailAddress(asked.email_before_confirmation);
  if (!change || !named.ok || named.address !== change.email) return invalidTicket();
  // A refused request keeps its ticket.
  const problem = await countMail(tx, limitsOf(member, change.email), now, '確認メールの送信回数が上限に達しました。');
  if (problem) return problem;
  await tx
    .updateTable('email_change')
    .set({
      ticket_hash: null,
      ticket_expires_at: null,
      secret_hash: hashOf(secret),
      secret_expires_at: new Date(now + SECRET_MS),
      confirmed_at: null,
    })
    .where('account_id', '=', member.accountId)
    .where('member_id', '=', member.memberId)
    .execute();
  return change.email;
}

/** Mails per hour: of one member, and to one mailbox from all members. */
const MAILS_OF_MEMBER = 5;
const MAILS_TO_ADDRESS = 3;

/** The member's own counter is first, so that a member beyond it cannot use up the counter of a mailbox. */
const limitsOf = ({ memberId }: MemberKey, address: string): HourlyLimit[] => [
  { key: limitKey('confirmation of', memberId), limit: MAILS_OF_MEMBER },
  { key: limitKey('confirmation to', addressKey(address)), limit: MAILS_TO_ADDRESS },
];

const invalidTicket = () =>
  new Problem(
    400,
    'invalid_ticket',
    '確認メールを送信できませんでした。メールアドレスの変更を、はじめからやり直してください。',
  );

/**
 * Confirms the pending address with the mailed secret. A secret works once, also for concurrent calls.
 * All failures get the same answer.
 */
export async function confirmAddress(account: MemberDb, secret: string, now: number): Promise<Problem | null> {
  const confirmed = await account.transaction((tx) =>
    tx
      .updateTable('email_change')
      .set({ confirmed_at: new Date(now), secret_hash: null, secret_expires_at: null })
      .where(isPendingChangeOf(memberKeyOf(account)))
      .where('secret_hash', '=', hashOf(secret))
      .where('secret_expires_at', '>', new Date(now))
      .returning('account_id')
      .executeTakeFirst(),
  );
  return confirmed ? null : invalid();
}

const invalid = () =>
  new Problem(
    400,
    'invalid_confirmation',
    'メールアドレスを確認できませんでした。URLが正しくないか、有効期限が切れています。',
  );
