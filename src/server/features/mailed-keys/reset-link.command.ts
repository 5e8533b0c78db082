import { networkOf } from '#domain/account/network.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import { HOUR_MS } from '#domain/time-units.ts';
import type { AccountDb, MemberKey } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import type { UrlOf } from '../../platform/http/hosts.ts';
import { countMail, type HourlyLimit, limitKey } from '../../platform/limits/rate-limit.ts';
import type { Mailer } from '../../platform/mail/system-mail.ts';
import type { Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { hashOf, newSecret } from '../auth/secret.ts';
import { resetLinkMail } from './password-reset-mails.ts';

const LINK_MS = HOUR_MS;
/** Mails per hour: asked for by one network, and to one mailbox. The last one's link outlives the wait for the next. */
const MAILS_OF_NETWORK = 20;
const MAILS_TO_ADDRESS = 3;
const REACHED = '再設定のメールの送信回数が上限に達しました。届いたメールを確認するか、';

/**
 * Counts a request for a link, whether a member has the address or not.
 * @returns 429 for too many, the same for known and unknown addresses
 */
export async function countRequest(
  { login, now }: { readonly login: Db; readonly now: () => number },
  { email, ip }: { readonly email: string; readonly ip: string },
): Promise<Problem | null> {
  // The network's own counter is first, so that a network beyond it cannot use up the counter of a mailbox.
  const limits: readonly HourlyLimit[] = [
    { key: limitKey('password reset by', networkOf(ip)), limit: MAILS_OF_NETWORK },
    { key: limitKey('password reset to', addressKey(email)), limit: MAILS_TO_ADDRESS },
  ];
  return countMail(login, limits, now(), REACHED);
}

interface Services {
  /** Finds the member of an address. */
  readonly login: Db;
  readonly now: () => number;
  readonly mailer: Mailer;
  /** The origin at which an account's members open the web client, without a slash at its end. */
  readonly urlOf: UrlOf;
  readonly accountDb: (accountId: number, memberId: null) => AccountDb;
}

/**
 * Mails a link for a new password to the active member who has this address; without one it does nothing.
 * It runs after the answer, so that neither the answer nor its time reveals whether a member has the address. A mail
 * that fails stays counted for the same reason.
 */
export async function sendResetLink(services: Services, email: string): Promise<void> {
  const { login, now, mailer, urlOf, accountDb } = services;
  const member = await login
    .selectFrom('member')
    .select(['account_id as accountId', 'id as memberId'])
    .where((where) => where(where.fn<string>('lower', ['email']), '=', addressKey(email)))
    .where('active', '=', true)
    .executeTakeFirst();
  if (!member) return;
  const secret = newSecret();
  const to = await accountDb(member.accountId, null).transaction((tx) =>
    storeSecret(tx, member, { email, secret, now: now() }),
  );
  if (to === null) return;
  const link = `${urlOf(member.accountId)}/password-reset/${secret}`;
  const outcome = await mailer(resetLinkMail(to, member.accountId, link));
  if (outcome.kind === 'sent') return;
  // A mail of unknown outcome may have arrived, but the visitor will ask again.
  await accountDb(member.accountId, null).transaction((tx) =>
    tx
      .deleteFrom('password_reset')
      .where('account_id', '=', member.accountId)
      .where('secret_hash', '=', hashOf(secret))
      .execute(),
  );
}

/** Replaces the member's link by the hash of a new one. @returns the address to mail; null: it has just changed */
async function storeSecret(
  tx: Tx,
  { accountId, memberId }: MemberKey,
  { email, secret, now }: { readonly email: string; readonly secret: string; readonly now: number },
): Promise<string | null> {
  const member = await tx
    .selectFrom('member')
    .select('email')
    .where('account_id', '=', accountId)
    .where('id', '=', memberId)
    .where((where) => where(where.fn<string>('lower', ['email']), '=', addressKey(email)))
    .where('active', '=', true)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!member) return null;
  const values = { secret_hash: hashOf(secret), expires_at: new Date(now + LINK_MS) };
  await tx
    .insertInto('password_reset')
    .values({ account_id: accountId, member_id: memberId, ...values })
    .onConflict((conflict) => conflict.columns(['account_id', 'member_id']).doUpdateSet(values))
    .execute();
  const detail = { member_id: memberId };
  await recordAudit(tx, { accountId, memberId: null, kind: 'password_reset_requested', detail });
  return member.email;
}
