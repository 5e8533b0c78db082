import { PASSWORD_MESSAGES } from '#contract/account/auth.ts';
import { networkOf } from '#domain/account/network.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import { HOUR_MS } from '#domain/time-units.ts';
import type { MemberDb, MemberKey } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { byKey, hasRow } from '../../platform/database/list-rows.ts';
import { countMail } from '../../platform/limits/rate-limit.ts';
import type { Mailer } from '../../platform/mail/system-mail.ts';
import { fieldProblem, notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { newPasswordFault } from '../auth/common-passwords.ts';
import { isPasswordOff } from '../auth/company/password-off.queries.ts';
import { forgetGuesses, tooBusy } from '../auth/guess-limit.ts';
import { inHashSlot } from '../auth/hash-slots.ts';
import { hashPassword } from '../auth/password.ts';
import { shutOut } from '../auth/session.ts';
import { adminProblem } from '../rights/not-allowed.ts';
import {
  accountOfKey,
  hasKey,
  limitsOf,
  type MailServices,
  mailKey,
  type NewKey,
  type Purpose,
  takeKey,
  type VisitorServices,
} from './mailed-key.ts';
import { passwordResetMail, resetLinkMail } from './mails.ts';

/** The link of an hour's last mail outlives the wait for the next mail. */
const PASSWORD_RESET: Purpose<'password_reset'> = {
  table: 'password_reset',
  expiry: 'expires_at',
  keepsRow: false,
  lifeMs: HOUR_MS,
  page: 'password-reset',
  limits: { asker: ['password reset by', 20], mailbox: ['password reset to', 3] },
};

/**
 * Counts a request for a link, whether or not a member has the address.
 * @returns 429 for too many, the same for known and unknown addresses
 */
export const countRequest = (
  { login, now }: Pick<VisitorServices, 'login' | 'now'>,
  { email, ip }: { readonly email: string; readonly ip: string },
): Promise<Problem | null> =>
  countMail(
    login,
    limitsOf(PASSWORD_RESET, networkOf(ip), email),
    now(),
    '再設定のメールの送信回数が上限に達しました。届いたメールを確認するか、',
  );

/**
 * Mails a link for a new password to the active member who has this address; without one it does nothing.
 * It runs after the answer, so that neither the answer nor its time reveals whether a member has the address. A mail
 * that fails stays counted for the same reason.
 */
export async function sendResetLink(services: MailServices & VisitorServices, email: string): Promise<void> {
  const found = await services.login
    .selectFrom('member')
    .select(['account_id as accountId', 'id as memberId'])
    .where((where) => where(where.fn<string>('lower', ['email']), '=', addressKey(email)))
    .where('active', '=', true)
    .executeTakeFirst();
  if (!found) return;
  const account = services.accountDb(found.accountId, null);
  await mailKey<{ readonly status: 'not sent' }>(services, account, PASSWORD_RESET, async (tx, key) => {
    const to = await lockActive(tx, found);
    // The address has just changed, or the member was deactivated.
    if (to === null || addressKey(to) !== addressKey(email)) return { status: 'not sent' };
    await storeLink(tx, found, key, null);
    const off = await isPasswordOff(tx, found);
    return { mail: (link) => resetLinkMail(to, account.id, link, off), givenBack: [] };
  });
}

/** Mails a link for a new password to a colleague, for an admin. @returns 401, 403, 404, 409, 429 or 503 */
export const sendResetLinkTo = (
  services: MailServices,
  account: MemberDb,
  memberId: number,
): Promise<{ readonly status: 'sent' } | Problem> =>
  mailKey<Problem>(services, account, PASSWORD_RESET, async (tx, key) => {
    const member = { accountId: account.id, memberId };
    const to = await lockActive(tx, member);
    const refused = await adminProblem(tx, account);
    if (refused) return refused;
    if (to === null)
      return (await hasRow(tx, 'member', { accountId: account.id, id: memberId })) ? stopped() : notFound();
    const limits = limitsOf(PASSWORD_RESET, `member ${account.id} ${account.memberId}`, to);
    const problem = await countMail(tx, limits, services.now(), '再設定のメールの送信回数が上限に達しました。');
    if (problem) return problem;
    await storeLink(tx, member, key, account.memberId);
    const off = await isPasswordOff(tx, member);
    return { mail: (link) => resetLinkMail(to, account.id, link, off), givenBack: limits };
  });

const stopped = () => new Problem('member_stopped', 'この人は利用を停止しています。先に利用を再開してください。');

/** @param askedBy the admin who asked for it; null: a visitor */
async function storeLink(
  tx: Tx,
  { accountId, memberId }: MemberKey,
  key: NewKey,
  askedBy: number | null,
): Promise<void> {
  await tx
    .insertInto('password_reset')
    .values({ account_id: accountId, member_id: memberId, ...key })
    .onConflict((conflict) => conflict.columns(['account_id', 'member_id']).doUpdateSet(key))
    .execute();
  const detail = { member_id: memberId };
  await recordAudit(tx, { accountId, memberId: askedBy, kind: 'password_reset_requested', detail });
}

/** Locks the member before any other row, as changes of log-in data do. @returns the address; null: not active */
async function lockActive(tx: Tx, { accountId, memberId }: MemberKey): Promise<string | null> {
  const member = await tx
    .selectFrom('member')
    .select('email')
    .where('account_id', '=', accountId)
    .where('id', '=', memberId)
    .where('active', '=', true)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return member?.email ?? null;
}

interface Asked {
  readonly key: string;
  readonly new_password: string;
  readonly ip: string;
}

/**
 * Sets a new password with the mailed key, and ends all sessions of the member.
 * Nothing is hashed for an invalid key. A refused password leaves it valid.
 * @returns 400 with one answer for all invalid keys, 400 for a bad password, or 503
 */
export async function resetPassword(
  { login, now, mailer, accountDb }: VisitorServices & { readonly mailer: Mailer },
  { key, new_password, ip }: Asked,
): Promise<{ status: 'updated' } | Problem> {
  const accountId = await accountOfKey(login, PASSWORD_RESET, key);
  if (accountId === undefined) return invalidKey();
  const account = accountDb(accountId, null);
  // A transaction although it only reads, because it refuses a frozen account before hashing.
  const member = await account.transaction((tx) =>
    tx
      .selectFrom('password_reset')
      .innerJoin('member', byKey('member', 'password_reset.member_id'))
      .innerJoin('account', 'account.id', 'member.account_id')
      .select(['member.id as memberId', 'member.email', 'member.name', 'account.company'])
      .where(hasKey(PASSWORD_RESET, { accountId, secret: key, now: now() }))
      .executeTakeFirst(),
  );
  if (!member) return invalidKey();
  const fault = newPasswordFault(new_password, [member.email, member.name, member.company]);
  if (fault) return fieldProblem('new_password', 'invalid_password', PASSWORD_MESSAGES[fault]);
  const password_hash = await inHashSlot(() => hashPassword(new_password));
  if (password_hash === null) return tooBusy();

  const { memberId } = member;
  const email = await account.transaction(async (tx) => {
    const active = await lockActive(tx, { accountId, memberId });
    const taken = await takeKey(tx, PASSWORD_RESET, { accountId, secret: key, now: now() });
    if (active === null || !taken) return null;
    await tx
      .updateTable('member')
      .set({ password_hash, updated_at: new Date(now()) })
      .where('account_id', '=', accountId)
      .where('id', '=', memberId)
      .execute();
    await shutOut(tx, { accountId, memberId });
    await recordAudit(tx, { accountId, memberId, kind: 'password_reset', detail: {} });
    return active;
  });
  if (email === null) return invalidKey();
  await forgetGuesses(login, { email, ip });
  // The answer does not wait for the notice: the password is set even if the mail fails.
  void mailer(passwordResetMail(email, accountId));
  return { status: 'updated' };
}

const invalidKey = () =>
  new Problem('invalid_key', 'このリンクは使えません。もう一度、再設定のメールを送ってください。');
