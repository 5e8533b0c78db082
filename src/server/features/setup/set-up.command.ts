import { sql } from 'kysely';
import type { z } from 'zod';
import { PASSWORD_MESSAGES } from '#contract/account/auth.ts';
import type { setUp as setUpCall } from '#contract/account/setup.ts';
import type { CallAnswer } from '#contract/call.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { fieldProblem, Problem } from '../../platform/problem.ts';
import { addFirstMember, addUndoWindow, endSetup } from '../account/account.command.ts';
import { newPasswordFault } from '../auth/common-passwords.ts';
import { tooBusy } from '../auth/guess-limit.ts';
import { inHashSlot } from '../auth/hash-slots.ts';
import { hashPassword } from '../auth/password.ts';
import { hashOf } from '../auth/secret.ts';
import { starterGroup } from '../senders/sender-group.command.ts';
import { hasAccount } from './setup-key.ts';

/** What the calls of the set-up need. */
export interface Services {
  readonly login: Db;
  readonly now: () => number;
  readonly accountDb: (accountId: number, memberId: null) => AccountDb;
}

/** Checks a key without redeeming it. @returns 404 if an account exists, 400 for an invalid key */
export async function checkSetupKey(
  { login, now }: Pick<Services, 'login' | 'now'>,
  key: string,
): Promise<Problem | null> {
  const valid = await login
    .selectFrom('installation')
    .select('only_row')
    .where('setup_key_hash', '=', hashOf(key))
    .where('setup_expires_at', '>', new Date(now()))
    .executeTakeFirst();
  // Checked after the key: an account created in between has cleared the key.
  if (await hasAccount(login)) return alreadySetUp();
  return valid ? null : invalidKey();
}

/**
 * Creates the first account with its member and a sender group. The key works once, also for concurrent calls.
 * Nothing is hashed for an invalid key. A refused password keeps the key valid.
 * @returns 400, 404 if an account exists, or 503
 */
export async function setUp(
  services: Services,
  { key, company, name, email, new_password }: z.output<(typeof setUpCall)['body']>,
): Promise<CallAnswer<typeof setUpCall> | Problem> {
  const problem = await checkSetupKey(services, key);
  if (problem) return problem;
  const fault = newPasswordFault(new_password, [email, name, company]);
  if (fault) return fieldProblem('new_password', 'invalid_password', PASSWORD_MESSAGES[fault]);
  const password_hash = await inHashSlot(() => hashPassword(new_password));
  if (password_hash === null) return tooBusy();

  const { login, now, accountDb } = services;
  const accountId = await nextAccountId(login);
  const isMade = await accountDb(accountId, null).transaction(async (tx) => {
    if (!(await takeKey(tx, key, now()))) return false;
    await sql`INSERT INTO account (id, company) OVERRIDING SYSTEM VALUE VALUES (${accountId}, ${company})`.execute(tx);
    await addFirstMember(tx, accountId, { email, name, password_hash }, [starterGroup({ email, name, company })]);
    await addUndoWindow(tx, accountId);
    return true;
  });
  // Another request was faster: an account was created, or another start made a new key.
  if (!isMade) return (await checkSetupKey(services, key)) ?? invalidKey();
  return { status: 'created', account_id: accountId, email };
}

/** Row level security compares the new row with the transaction's account, so the id is set first. */
async function nextAccountId(login: Db): Promise<number> {
  const { rows } = await sql<{ id: number }>`SELECT next_account_id() AS id`.execute(login);
  return onlyRow(rows).id;
}

/** Redeems the key. @returns whether it was valid */
async function takeKey(tx: Tx, key: string, now: number): Promise<boolean> {
  const valid = await tx
    .selectFrom('installation')
    .select('only_row')
    .where('setup_key_hash', '=', hashOf(key))
    .where('setup_expires_at', '>', new Date(now))
    .forUpdate()
    .executeTakeFirst();
  if (!valid) return false;
  await endSetup(tx);
  return true;
}

const alreadySetUp = () => new Problem('not_found', '最初のアカウントは、もう作られています。ログインしてください。');

const invalidKey = () =>
  new Problem(
    'invalid_key',
    'このリンクは使えません。有効期限（1時間）が切れたか、起動し直したときに新しいリンクが表示されています。Kaitakuを起動し直し、表示されたリンクを開いてください。',
  );
