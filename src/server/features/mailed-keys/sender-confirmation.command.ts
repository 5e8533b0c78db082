import { sql } from 'kysely';
import { SENDER_CONFIRMATION_HOURS } from '#domain/limits.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import { HOUR_MS } from '#domain/time-units.ts';
import type { AccountDb, MemberDb } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { byKey } from '../../platform/database/list-rows.ts';
import type { UrlOf } from '../../platform/http/hosts.ts';
import { countMail, giveBackHourly, type HourlyLimit, limitKey } from '../../platform/limits/rate-limit.ts';
import { writeNotice } from '../../platform/mail/notice.ts';
import { confirmationNotSent, type Mailer, type SystemMail, wasNotTaken } from '../../platform/mail/system-mail.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { hashOf, newSecret } from '../auth/secret.ts';
import { confirmAddress, confirmedAt } from '../sender-addresses/confirmed-address.queries.ts';

/** The member who asked for a confirmation. */
interface Asker {
  readonly name: string;
  readonly email: string;
  readonly company: string;
}

/** What the call that mails a link needs. */
export interface SendServices {
  readonly now: () => number;
  readonly mailer: Mailer;
  /** The origin at which an account's members open the web client, without a slash at its end. */
  readonly urlOf: UrlOf;
}

type Answer = { readonly status: 'sent' | 'confirmed' };

/**
 * Mails a secret to a sender's address, whose owner confirms the address with it.
 * An earlier secret of the sender becomes invalid. If the mail fails, no valid secret remains.
 * @returns `confirmed` and no mail where the address is confirmed already; 404, 429 or 503
 */
export async function sendSenderConfirmation(
  { now, mailer, urlOf }: SendServices,
  account: MemberDb,
  senderId: number,
): Promise<Answer | Problem> {
  const secret = newSecret();
  const asked = await account.transaction((tx) => storeSecret(tx, account, senderId, { secret, now: now() }));
  if (asked instanceof Problem || 'status' in asked) return asked;
  const { address, asker } = asked;
  const link = `${urlOf(account.id)}/sender-confirmation/${secret}`;
  const outcome = await mailer(senderConfirmationMail(address, asker, link));
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
    .innerJoin('sender_profile', byKey('sender_profile', 'sender.profile_id'))
    .select('sender_profile.email')
    .where('sender.account_id', '=', accountId)
    .where('sender.id', '=', senderId)
    .forNoKeyUpdate('sender_profile')
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

/** Mails per hour: of one account, and to one mailbox from all accounts. */
const MAILS_OF_ACCOUNT = 10;
const MAILS_TO_ADDRESS = 3;

/** The account's own counter is first, so that an account beyond it cannot use up the counter of a mailbox. */
const limitsOf = (accountId: number, address: string): HourlyLimit[] => [
  { key: limitKey('sender confirmation of', accountId), limit: MAILS_OF_ACCOUNT },
  { key: limitKey('sender confirmation to', addressKey(address)), limit: MAILS_TO_ADDRESS },
];

/**
 * The mail to the owner of a sender's address. It names who asked, because the owner may be somebody else.
 * Names are the only words of it that a member chooses.
 */
const senderConfirmationMail = (to: string, { name, email, company }: Asker, link: string): SystemMail =>
  writeNotice({
    to,
    reader: 'owner of a sender',
    subject: '【Kaitaku】差出人のメールアドレスの確認',
    paragraphs: [
      `${withoutLinks(company)}の${withoutLinks(name)}さん（${email}）が、このメールアドレスを、Kaitakuから送るメールの差出人として登録しました。`,
      'このアドレスを差出人とするメールの送信に同意する場合は、次のリンクを開き、画面の「このアドレスを確認」を押してください。リンクを開いただけでは、何も変わりません。',
      { link },
      `リンクの有効期限は${SENDER_CONFIRMATION_HOURS}時間で、1回だけ使えます。期限が過ぎたときは、登録した方に、確認メールをもう一度送るよう依頼してください。`,
      'お心当たりがない場合は、リンクを開かずに、このメールを削除してください。確認されるまで、このアドレスを差出人とするメールが会社に送られることはありません。',
    ],
  });

/** Widens the characters that would make mail programs turn a name into a link. */
const withoutLinks = (name: string): string =>
  name.replace(/[./:@]/g, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0));

/** What the call of a link needs. */
export interface TakeServices {
  /** A pool of the role kaitaku_login, which finds the account of a secret. */
  readonly login: Db;
  readonly now: () => number;
  readonly accountDb: (accountId: number, memberId: null) => AccountDb;
}

/**
 * Confirms a sender's address with the mailed secret. A secret works once, also for concurrent calls.
 * All failures get the same answer.
 * @param callerAccountId the account that the caller is logged in to; null: none. Another account's secret is refused,
 * so that nobody confirms for strangers by mistake
 * @returns the confirmed address
 */
export async function takeSenderConfirmation(
  { login, now, accountDb }: TakeServices,
  secret: string,
  callerAccountId: number | null,
): Promise<{ readonly email: string } | Problem> {
  const secret_hash = hashOf(secret);
  const found = await login
    .selectFrom('sender_confirmation')
    .select('account_id')
    .where('secret_hash', '=', secret_hash)
    .executeTakeFirst();
  if (!found || (callerAccountId !== null && callerAccountId !== found.account_id)) return invalid();
  const accountId = found.account_id;
  return accountDb(accountId, null).transaction(async (tx) => {
    // A change of the address deletes the row; the comparison covers addresses set by SQL.
    const { rows } = await sql<{ senderId: number; email: string }>`
      DELETE FROM sender_confirmation AS used USING sender, sender_profile AS profile
      WHERE used.account_id = ${accountId} AND used.secret_hash = ${secret_hash}
        AND used.expires_at > ${new Date(now())}
        AND sender.account_id = ${accountId} AND sender.id = used.sender_id
        AND profile.account_id = ${accountId} AND profile.id = sender.profile_id AND profile.email = used.email
      RETURNING used.sender_id AS "senderId", used.email`.execute(tx);
    const [used] = rows;
    if (!used) return invalid();
    await confirmAddress(tx, accountId, used.email);
    const detail = { sender_id: used.senderId, email: used.email };
    await recordAudit(tx, { accountId, memberId: null, kind: 'sender_address_confirmed', detail });
    return { email: used.email };
  });
}

const invalid = () =>
  new Problem(400, 'invalid_confirmation', 'このリンクは使えません。もう一度、確認メールを送ってください。');
