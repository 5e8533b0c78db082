import { sql } from 'kysely';
import { hasRole } from '#domain/account/role.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { fieldProblem, notFound, type Problem } from '../../platform/problem.ts';
import { countOpen, openMailsProblem } from '../mailbox-settings/disconnect.command.ts';
import { readCaller } from '../mailbox-settings/rights.queries.ts';
import { readMailbox } from '../mailboxes/mailbox.queries.ts';
import { notAllowed } from '../rights/not-allowed.ts';
import { allowsFrom } from '../sender-addresses/may-send-from.queries.ts';
import type { ProfileContent } from './profile.queries.ts';

/** The part of a profile that says whence its mails leave. */
type Path = Pick<ProfileContent, 'mailbox_id' | 'email'>;

/** Refuses an address that the mailbox does not allow. Without a mailbox each address needs its own confirmation. */
export async function fromProblem(
  tx: Tx,
  accountId: number,
  { mailbox_id, email }: Path,
  path: string,
): Promise<Problem | null> {
  if (mailbox_id === null) return null;
  const key = addressKey(email);
  const { rows } = await sql<{ isAllowed: boolean; address: string }>`
    SELECT address, ${allowsFrom({
      accountId: sql.lit(accountId),
      mailboxId: sql`mailbox.id`,
      key: sql`${key}::text`,
    })} AS "isAllowed"
    FROM mailbox WHERE account_id = ${accountId} AND id = ${mailbox_id}`.execute(tx);
  const [box] = rows;
  if (!box || box.isAllowed) return null;
  const message = `メールボックス ${box.address} から、${email} を差出人にしては送れません。メールボックスの画面で、差出人のアドレスを確かめてください。`;
  return fieldProblem(path, 'from_not_allowed', message);
}

interface Parts {
  /** false: SendGrid sends all mails. */
  readonly takesMailboxes: boolean;
  /** The member has agreed that waiting mails leave otherwise. */
  readonly isConfirmed: boolean;
}

/**
 * Refuses a change of whence a profile's mails leave.
 * @returns 401, 403 for a colleague's mailbox, 404 or 409
 */
export async function pathProblem(
  tx: Tx,
  account: MemberDb,
  { id, before, wanted }: { readonly id: number; readonly before: Path; readonly wanted: Path },
  { takesMailboxes, isConfirmed }: Parts,
): Promise<Problem | null> {
  const isOther = wanted.mailbox_id !== before.mailbox_id;
  if (!isOther) {
    const changesEmail = wanted.email !== before.email;
    return changesEmail ? fromProblem(tx, account.id, wanted, 'update_info.email') : null;
  }
  const path = 'update_info.mailbox_id';
  if (wanted.mailbox_id !== null) {
    const problem =
      (takesMailboxes ? null : notWithSendGrid(path)) ??
      (await choiceProblem(tx, account, wanted.mailbox_id, path)) ??
      (await fromProblem(tx, account.id, wanted, path));
    if (problem) return problem;
  }
  if (isConfirmed) return null;
  const by = wanted.mailbox_id === null ? 'このサーバーに設定されたメールサーバー' : '新しいメールボックス';
  const open = await countOpen(tx, account.id, { profileId: id });
  return openMailsProblem(open, (what) => `まだ送信していない${what}も、${by}から送信します。`);
}

const notWithSendGrid = (path: string) =>
  fieldProblem(path, 'not_with_sendgrid', 'このサーバーはSendGridで送信するため、メールボックスからは送れません。');

/** Refuses a mailbox that the member may not choose, or that is disconnected. */
async function choiceProblem(tx: Tx, account: MemberDb, id: number, path: string): Promise<Problem | null> {
  const box = await readMailbox(tx, { accountId: account.id, id });
  if (!box) return notFound();
  const caller = await readCaller(tx, account);
  if (!('role' in caller)) return caller;
  const isOwnOrShared = box.owner_id === null || box.owner_id === account.memberId;
  if (!isOwnOrShared && !hasRole(caller.role, 'admin')) return notAllowed(tx, account.id);
  if (box.state !== 'off') return null;
  return fieldProblem(path, 'mailbox_off', 'このメールボックスは切断されています。つなぎ直してから、選んでください。');
}
