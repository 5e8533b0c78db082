import { sql } from 'kysely';
import { DAY_MS } from '#domain/time-units.ts';
import type { MemberKey } from '../../../platform/database/account-db.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { isNotFrozen } from '../../../platform/database/frozen.ts';
import type { Mailer } from '../../../platform/mail/system-mail.ts';
import { Problem } from '../../../platform/problem.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { codesTriedMail, lastCodeUsedMail } from './second-step-mails.ts';
import { hashOfCode, isTotpCode, readCode, stepOf } from './totp.ts';

/**
 * Codes tried without a wait since the last right one; then it waits 1, 2, 4 … 900 s between tries, of the member and
 * from any network. A day without a try begins anew: at most 110 tries a day.
 */
const FREE_TRIES = 5;
const LONGEST_WAIT_SECONDS = 900;
/** At this try the member gets a mail: somebody knows the password. */
const TOLD_AT_TRY = 10;

/** What proves the second step; it is used within the transaction that it permits. */
export type SecondStep =
  | { readonly by: 'code'; readonly step: number; readonly secret: Buffer }
  | { readonly by: 'recovery'; readonly hash: Buffer };

export interface CodeServices {
  readonly login: Db;
  readonly now: () => number;
  readonly mailer: Mailer;
  readonly secrets: Secrets;
}

interface Tried {
  readonly secret: Buffer;
  readonly secret_key: number;
  readonly tries: number;
}

/**
 * Counts a try of a code, and then compares it: concurrent tries cannot exceed the limit.
 * @param isConfirmed whether the second step is on, or being set up
 * @returns null for a wrong code; 429, 503, or 409 where the member has no such second step
 */
export async function tryCode(
  services: CodeServices,
  member: MemberKey & { readonly email: string },
  typed: string,
  isConfirmed = true,
): Promise<SecondStep | Problem | null> {
  const { login, now, mailer, secrets } = services;
  const tried = await countTry(login, member, now(), isConfirmed);
  if (tried instanceof Problem) return tried;
  // The answer does not wait for the mail.
  if (tried.tries === TOLD_AT_TRY && isConfirmed) void mailer(codesTriedMail(member.email, member.accountId));
  const code = readCode(typed);
  if (!isTotpCode(code)) return isConfirmed ? findRecoveryCode(login, member, code) : null;
  const secret = secrets.open({ accountId: member.accountId, row: member.memberId, kind: 'totp' }, tried);
  if (secret instanceof Problem) return secret;
  const step = stepOf(secret, code, now());
  return step === null ? null : { by: 'code', step, secret: tried.secret };
}

async function countTry(login: Db, member: MemberKey, now: number, isConfirmed: boolean): Promise<Tried | Problem> {
  const { accountId, memberId } = member;
  const at = new Date(now);
  const isNew = sql`(tried_at IS NULL OR tried_at <= ${new Date(now - DAY_MS)})`;
  // Beyond 2^10 seconds the maximum wait applies.
  const waitEnds = sql`tried_at + make_interval(
    secs => least(${LONGEST_WAIT_SECONDS}, 2 ^ least(tries - ${FREE_TRIES}, 10)))`;
  const isOne = sql`account_id = ${accountId} AND member_id = ${memberId}
    AND (confirmed_at IS NOT NULL) = ${isConfirmed}`;
  const { rows } = await sql<Tried>`
    UPDATE member_totp SET tries = CASE WHEN ${isNew} THEN 1 ELSE tries + 1 END, tried_at = ${at}
    WHERE ${isOne} AND ${isNotFrozen('account_id')}
      AND (${isNew} OR tries < ${FREE_TRIES} OR ${waitEnds} <= ${at})
    RETURNING secret, secret_key, tries`.execute(login);
  const [tried] = rows;
  if (tried) return tried;
  const waiting = await sql<{ seconds: number }>`
    SELECT greatest(1, ceil(extract(epoch FROM ${waitEnds} - ${at})))::integer AS seconds FROM member_totp
    WHERE ${isOne} AND tried_at IS NOT NULL`.execute(login);
  const [wait] = waiting.rows;
  return wait ? tooManyCodes(wait.seconds) : notSetUp();
}

async function findRecoveryCode(login: Db, member: MemberKey, code: string): Promise<SecondStep | null> {
  const hash = hashOfCode(code);
  const found = await login
    .selectFrom('recovery_code')
    .select('hash')
    .where('account_id', '=', member.accountId)
    .where('member_id', '=', member.memberId)
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  return found ? { by: 'recovery', hash } : null;
}

/**
 * Uses a right code, in the transaction that it permits and behind the lock of the member. The tries begin anew.
 * @returns false for a code that was used meanwhile
 */
export async function takeCode(
  tx: Tx,
  services: Pick<CodeServices, 'now' | 'mailer'>,
  member: MemberKey & { readonly email: string },
  second: SecondStep,
): Promise<boolean> {
  const { accountId, memberId } = member;
  const isOne = sql`account_id = ${accountId} AND member_id = ${memberId}`;
  if (second.by === 'code') {
    const used = await sql`
      UPDATE member_totp SET last_step = ${second.step}, tries = 0, tried_at = NULL
      WHERE ${isOne} AND secret = ${second.secret} AND last_step < ${second.step}
      RETURNING account_id`.execute(tx);
    return used.rows.length > 0;
  }
  const used = await sql`
    UPDATE recovery_code SET used_at = ${new Date(services.now())}
    WHERE ${isOne} AND hash = ${second.hash} AND used_at IS NULL
    RETURNING account_id`.execute(tx);
  if (used.rows.length === 0) return false;
  await sql`UPDATE member_totp SET tries = 0, tried_at = NULL WHERE ${isOne}`.execute(tx);
  const { left } = await tx
    .selectFrom('recovery_code')
    .select((count) => count.fn.countAll<number>().as('left'))
    .where('account_id', '=', accountId)
    .where('member_id', '=', memberId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow();
  await recordAudit(tx, { accountId, memberId, kind: 'recovery_code_used', detail: { left: Number(left) } });
  if (Number(left) === 0) void services.mailer(lastCodeUsedMail(member.email, accountId));
  return true;
}

const tooManyCodes = (seconds: number) =>
  new Problem(
    'too_many_codes',
    `数字の間違いが続いたため、しばらくお待ちいただいています。${inWords(seconds)}後に、もう一度お試しください。`,
    seconds,
  );

const inWords = (seconds: number) => (seconds < 60 ? `${seconds}秒` : `${Math.ceil(seconds / 60)}分`);

export const notSetUp = () =>
  new Problem('two_factor_not_set', '二段階認証が設定されていません。先に設定を始めてください。');
