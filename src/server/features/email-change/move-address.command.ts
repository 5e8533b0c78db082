import pg from 'pg';
import type { AccountDb } from '../../platform/account-db.ts';
import type { Tx } from '../../platform/db.ts';
import type { Mailer } from '../../platform/mail/system-mail.ts';
import { Refusal } from '../../platform/refusal.ts';
import { closeSessionsOf } from '../auth/session.ts';
import { addressChangedMail } from './mails.ts';
import { isPendingChangeOf } from './pending-change.queries.ts';

/** How long a confirmed address may wait for the client to take the last step. */
const CONFIRMED_MS = 15 * 60 * 1000;
const UNIQUE_VIOLATION = '23505';

/**
 * The last step of a change: the confirmed address becomes the account's, every session ends, the old address is told.
 * @param address as parseMailAddress gives it
 */
export async function moveToConfirmedAddress(
  { now, mailer }: { readonly now: () => number; readonly mailer: Mailer },
  account: AccountDb,
  address: string,
): Promise<Refusal | null> {
  const left = await refuseTaken(
    account.transaction(async (tx) => {
      const current = await lockedAddress(tx, account.id);
      const confirmed = await tx
        .selectFrom('email_change')
        .select('email')
        .where(isPendingChangeOf(account.id))
        .where('email', '=', address)
        .where('confirmed_at', '>', new Date(now() - CONFIRMED_MS))
        .executeTakeFirst();
      if (!confirmed) return notConfirmed();
      await moveAddress(tx, account.id, { from: current, to: address }, 'email_changed');
      return current;
    }),
  );
  if (left instanceof Refusal) return left;
  const told = await mailer(addressChangedMail(left));
  if (told.kind !== 'sent') {
    await account.transaction((tx) =>
      tx
        .insertInto('audit_event')
        .values({ account_id: account.id, kind: 'email_change_notice_failed', detail: JSON.stringify({ to: left }) })
        .execute(),
    );
  }
  return null;
}

/** The address an account has, which now nobody else changes. Locked before email_change, always in this order. */
export async function lockedAddress(tx: Tx, accountId: number): Promise<string> {
  const { email } = await tx
    .selectFrom('account')
    .select('email')
    .where('id', '=', accountId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return email;
}

/** Gives an account another address, with all that goes with it. @throws a unique violation: see refuseTaken */
export async function moveAddress(
  tx: Tx,
  account_id: number,
  addresses: { readonly from: string; readonly to: string },
  kind: 'email_changed' | 'email_set_by_operator',
): Promise<void> {
  await tx
    .updateTable('account')
    .set({ email: addresses.to, email_before_confirmation: null, updated_at: new Date() })
    .where('id', '=', account_id)
    .execute();
  await tx.deleteFrom('email_change').where('account_id', '=', account_id).execute();
  await closeSessionsOf(tx, account_id);
  await tx
    .insertInto('audit_event')
    .values({ account_id, kind, detail: JSON.stringify(addresses) })
    .execute();
}

/** Only the index on account.email knows for sure whether an address is free. */
export async function refuseTaken<Result>(work: Promise<Result>): Promise<Result | Refusal> {
  try {
    return await work;
  } catch (error) {
    const isTaken = error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION;
    if (!isTaken || error.constraint !== 'account_email_key') throw error;
    return new Refusal(
      409,
      'email_taken',
      'このメールアドレスはほかのアカウントで使われているため、変更できません。別のメールアドレスを指定してください。',
    );
  }
}

const notConfirmed = () =>
  new Refusal(
    400,
    'not_confirmed',
    'メールアドレスを変更できませんでした。確認から時間がたったか、確認したものと違うメールアドレスです。もう一度、確認メールの送信からやり直してください。',
  );
