import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import type { sendConfirmation as sendCall } from '#contract/account/email-change.ts';
import { parseMailAddress } from '#domain/mail/address.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import { HOUR_MS } from '#domain/time-units.ts';
import { type MemberDb, type MemberKey, memberKeyOf } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { countMail } from '../../platform/limits/rate-limit.ts';
import { Problem } from '../../platform/problem.ts';
import { hashOf, newSecret } from '../auth/secret.ts';
import { limitsOf, type MailServices, mailKey, type NewKey, type Purpose, takeKey } from './mailed-key.ts';
import { addressInUseMail, confirmationMail } from './mails.ts';

const EMAIL_CHANGE: Purpose<'email_change'> = {
  table: 'email_change',
  expiry: 'secret_expires_at',
  keepsRow: true,
  lifeMs: HOUR_MS,
  page: 'confirmation',
  limits: { asker: ['confirmation of', 5], mailbox: ['confirmation to', 3] },
};

/** Selects a member's change to the currently pending address. Older changes are invalid. */
export const isPendingChangeOf = ({ accountId, memberId }: MemberKey): RawBuilder<SqlBool> => sql<SqlBool>`
  email_change.account_id = ${accountId} AND email_change.member_id = ${memberId} AND email_change.email = (
    SELECT email_before_confirmation FROM member WHERE account_id = ${accountId} AND id = ${memberId})`;

const TICKET_MS = 10 * 60 * 1000;

/** Issues a ticket for one mail to the pending address. An earlier ticket becomes invalid. */
export async function issueTicket(
  account: MemberDb,
  now: number,
): Promise<{ readonly confirmation_token: string } | Problem> {
  const ticket = newSecret();
  const issued = await account.transaction((tx) =>
    tx
      .updateTable('email_change')
      .set({ ticket_hash: hashOf(ticket), ticket_expires_at: new Date(now + TICKET_MS) })
      .where(isPendingChangeOf(memberKeyOf(account)))
      .returning('account_id')
      .executeTakeFirst(),
  );
  return issued ? { confirmation_token: ticket } : noPendingAddress();
}

const noPendingAddress = () =>
  new Problem(
    'no_pending_email',
    '確認するメールアドレスがありません。新しいメールアドレスを保存してから、やり直してください。',
  );

type Asked = z.output<(typeof sendCall)['body']>;

/**
 * Redeems the ticket and mails a key to the pending address.
 * The answer does not reveal whether the address is taken: if so, its owner gets another mail, and nobody gets a key.
 */
export const sendConfirmation = (
  services: MailServices & { /** Looks an address up among all members. */ readonly login: Db },
  account: MemberDb,
  asked: Asked,
): Promise<{ readonly status: 'sent' } | Problem> =>
  mailKey<Problem>(services, account, EMAIL_CHANGE, async (tx, key) => {
    const member = memberKeyOf(account);
    const address = await exchange(tx, member, asked, key, services.now());
    if (address instanceof Problem) return address;
    const mail = async (link: string) =>
      (await isInUse(services.login, address)) ? addressInUseMail(address) : confirmationMail(address, link);
    return { mail, givenBack: limitsOf(EMAIL_CHANGE, member.memberId, address) };
  });

async function isInUse(login: Db, address: string): Promise<boolean> {
  const member = await login
    .selectFrom('member')
    .select('id')
    .where((where) => where(where.fn<string>('lower', ['email']), '=', addressKey(address)))
    .executeTakeFirst();
  return member !== undefined;
}

/** Replaces the ticket by the key. @returns the pending address */
async function exchange(tx: Tx, member: MemberKey, asked: Asked, key: NewKey, now: number): Promise<string | Problem> {
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
  // A request refused by a limit keeps its ticket.
  const limits = limitsOf(EMAIL_CHANGE, member.memberId, change.email);
  const problem = await countMail(tx, limits, now, '確認メールの送信回数が上限に達しました。');
  if (problem) return problem;
  const stored = { secret_hash: key.secret_hash, secret_expires_at: key.expires_at };
  await tx
    .updateTable('email_change')
    .set({ ticket_hash: null, ticket_expires_at: null, ...stored, confirmed_at: null })
    .where('account_id', '=', member.accountId)
    .where('member_id', '=', member.memberId)
    .execute();
  return change.email;
}

const invalidTicket = () =>
  new Problem(
    'invalid_ticket',
    '確認メールを送信できませんでした。メールアドレスの変更を、はじめからやり直してください。',
  );

/** Confirms the pending address with the mailed key. All failures get the same answer. */
export function confirmAddress(
  account: MemberDb,
  key: string,
  now: number,
): Promise<{ readonly status: 'confirmed' } | Problem> {
  const member = memberKeyOf(account);
  return account.transaction(async (tx) => {
    const valid = { accountId: account.id, secret: key, now };
    if (!(await takeKey(tx, EMAIL_CHANGE, valid, isPendingChangeOf(member)))) return invalid();
    await tx
      .updateTable('email_change')
      .set({ confirmed_at: new Date(now) })
      .where(isPendingChangeOf(member))
      .execute();
    return { status: 'confirmed' };
  });
}

const invalid = () =>
  new Problem(
    'invalid_confirmation',
    'メールアドレスを確認できませんでした。URLが正しくないか、有効期限が切れています。',
  );
