import { sql } from 'kysely';
import { DAY_MS } from '#domain/time-units.ts';
import type { MemberKey } from '../../../platform/database/account-db.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { Problem } from '../../../platform/problem.ts';
import { isPasswordOff } from '../company/password-off.queries.ts';
import { entryProblem } from '../networks.queries.ts';
import { hashOf } from '../secret.ts';
import { type CodeServices, type SecondStep, takeCode, tryCode } from './check-code.command.ts';
import { isSecondStepOn } from './second-step.queries.ts';

/** A trusted browser enters without a code so long; a member has at most so many. */
const TRUST_MS = 30 * DAY_MS;
const MAX_DEVICES = 20;

interface Member extends MemberKey {
  readonly email: string;
}

/** The part of a log-in that concerns the second step. */
export interface Entry {
  readonly ip: string;
  readonly code?: string | undefined;
  /** The browser's own random value. */
  readonly device?: string | undefined;
  /** 1: the browser needs no code from now on. */
  readonly trust?: 0 | 1 | undefined;
}

/** What proves the second step of a log-in; `none`: the member has none. */
export type Proof = SecondStep | { readonly by: 'device' } | { readonly by: 'none' };

/**
 * Checks the network, whether the account lets passwords in, and the second step, once the password was right.
 * @returns 403 from elsewhere, 409 where passwords are switched off, 401 without a right code, 429, 503 for a frozen
 *   account or without the key
 */
export async function checkEntry(services: CodeServices, member: Member, entry: Entry): Promise<Proof | Problem> {
  const { login, now } = services;
  const closed = await entryProblem(login, member.accountId, entry.ip);
  if (closed) return closed;
  if (await isPasswordOff(login, member)) return passwordIsOff();
  if (!(await isSecondStepOn(login, member))) return { by: 'none' };
  if (await isTrusted(login, member, entry, now())) return { by: 'device' };
  if (entry.code === undefined || entry.code.trim() === '') {
    return new Problem('code_needed', '認証アプリの6桁の数字を入力してください');
  }
  const tried = (await tryCode(services, member, entry.code)) ?? wrongCode();
  // Removed, or frozen, since it was read.
  if (tried instanceof Problem && tried.code === 'two_factor_not_set') return checkEntry(services, member, entry);
  return tried;
}

/**
 * Uses the proof in the transaction that opens the session, behind the lock of the member.
 * @returns 401 for a code that was used meanwhile; null where the second step has changed: it must be checked again
 */
export async function takeProof(
  tx: Tx,
  services: CodeServices,
  member: Member,
  { proof, entry }: { readonly proof: Proof; readonly entry: Entry },
): Promise<'used' | Problem | null> {
  if (proof.by === 'none') return (await isSecondStepOn(tx, member)) ? null : 'used';
  if (proof.by === 'device') return (await isTrusted(tx, member, entry, services.now())) ? 'used' : null;
  if (!(await takeCode(tx, services, member, proof))) return wrongCode();
  if (entry.trust === 1 && entry.device !== undefined) await trust(tx, member, entry.device, services.now());
  return 'used';
}

const passwordIsOff = () =>
  new Problem('use_company_log_in', 'パスワードではログインできません。「会社のIDでログイン」を使ってください。');

const wrongCode = () => new Problem('wrong_code', '数字が違います。認証アプリの6桁の数字を入力してください');

async function isTrusted(db: Db, { accountId, memberId }: MemberKey, { device }: Entry, now: number): Promise<boolean> {
  if (device === undefined) return false;
  const trusted = await db
    .selectFrom('trusted_device')
    .select('hash')
    .where('account_id', '=', accountId)
    .where('member_id', '=', memberId)
    .where('hash', '=', hashOf(device))
    .where('expires_at', '>', new Date(now))
    .executeTakeFirst();
  return trusted !== undefined;
}

/** Trusts a browser; of more than MAX_DEVICES the oldest are forgotten. */
async function trust(tx: Tx, { accountId, memberId }: MemberKey, device: string, now: number): Promise<void> {
  const hash = hashOf(device);
  await tx
    .deleteFrom('trusted_device')
    .where('account_id', '=', accountId)
    .where('member_id', '=', memberId)
    .where('hash', '=', hash)
    .execute();
  await tx
    .insertInto('trusted_device')
    .values({ account_id: accountId, member_id: memberId, hash, expires_at: new Date(now + TRUST_MS) })
    .execute();
  await sql`
    DELETE FROM trusted_device WHERE account_id = ${accountId} AND member_id = ${memberId} AND hash NOT IN (
      SELECT hash FROM trusted_device WHERE account_id = ${accountId} AND member_id = ${memberId}
      ORDER BY expires_at DESC, hash LIMIT ${MAX_DEVICES})`.execute(tx);
}
