import { type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { addMailbox as addCall } from '#contract/senders/mailboxes.ts';
import { hasRole } from '#domain/account/role.ts';
import { MAX_MAILBOXES } from '#domain/limits.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { countRows, ownRows } from '../../platform/database/list-rows.ts';
import { lockAccount } from '../../platform/database/lock-account.ts';
import { fieldProblem, Problem } from '../../platform/problem.ts';
import { noSecretKey } from '../../platform/secrets/secrets.ts';
import { isDemo } from '../audit/is-demo.queries.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { MailboxServices } from '../mailboxes/mailbox-log-in.ts';
import { notAllowed } from '../rights/not-allowed.ts';
import {
  type Connection,
  KNOWN_SERVERS,
  knownServersProblem,
  LIMITS,
  readingProblem,
  securityOf,
  storedHost,
} from './connection.ts';
import { readCaller } from './rights.queries.ts';

type AddInfo = z.output<(typeof addCall)['body']>['add_info'];

/**
 * Adds a mailbox without its log-in, which a change stores: a repeated request would keep a hash of the password. The
 * caller has looked at its hosts.
 * @returns 400, 401, 403, 409 or 503
 */
export async function addMailbox(
  tx: Tx,
  account: MemberDb,
  { secrets }: MailboxServices,
  info: AddInfo,
): Promise<CallAnswer<typeof addCall> | Problem> {
  const { id: accountId, memberId } = account;
  const { kind, name, address, is_shared = 0 } = info;
  await lockAccount(tx, accountId);
  const connection = connectionOf(info);
  const problem =
    (await callerProblem(tx, account, is_shared === 1)) ??
    (secrets.hasKey ? null : noSecretKey()) ??
    (await demoProblem(tx, accountId)) ??
    knownServersProblem(kind, 'add_info', info) ??
    readingProblem('add_info', connection) ??
    (await takenProblem(tx, accountId, { address, path: 'add_info.address' })) ??
    (await tooManyProblem(tx, accountId));
  if (problem) return problem;
  const { perDay: per_day, perMinute: per_minute } = LIMITS[kind];
  const owner_id = is_shared === 1 ? null : memberId;
  const { id, version } = await tx
    .insertInto('mailbox')
    .values({ account_id: accountId, kind, name, address, owner_id, ...connection, per_day, per_minute })
    .returning(['id', 'version'])
    .executeTakeFirstOrThrow();
  await tx
    .insertInto('mailbox_state')
    .values({ account_id: accountId, mailbox_id: id, reads_from: connection.reads_replies ? sql<Date>`now()` : null })
    .execute();
  const detail = { mailbox_id: id, address, mailbox_kind: kind, is_shared: is_shared === 1 };
  await recordAudit(tx, { accountId, memberId, kind: 'mailbox_added', detail });
  return { status: 'added', id, version };
}

async function callerProblem(tx: Tx, account: MemberDb, isShared: boolean): Promise<Problem | null> {
  const caller = await readCaller(tx, account);
  if (caller instanceof Problem) return caller;
  return hasRole(caller.role, isShared ? 'admin' : 'sales') ? null : notAllowed(tx, account.id);
}

function connectionOf({ kind, address, smtp_host = '', smtp_port = 587, reads_replies, ...info }: AddInfo): Connection {
  if (kind !== 'smtp') return { ...KNOWN_SERVERS[kind], username: address, reads_replies: reads_replies === 1 };
  const { security = securityOf(smtp_port), username = address, imap_host = null } = info;
  return {
    smtp_host: storedHost(smtp_host),
    smtp_port,
    security,
    username,
    imap_host: imap_host && storedHost(imap_host),
    reads_replies: reads_replies === 1,
  };
}

/** The demo's password is public: its mails stay in the mail catcher. */
async function demoProblem(tx: Tx, accountId: number): Promise<Problem | null> {
  const message =
    'お試しのアカウントのメールは外に出ないため、メールボックスはつなげません。ご自身のアカウントを作ってから、つないでください。';
  return (await isDemo(tx, accountId)) ? new Problem('not_in_demo', message) : null;
}

/** Refuses an address that another mailbox of the account has. @param exceptId the changed one */
export async function takenProblem(
  tx: Tx,
  accountId: number,
  { address, path, exceptId = 0 }: { readonly address: string; readonly path: string; readonly exceptId?: number },
): Promise<Problem | null> {
  const other = await tx
    .selectFrom('mailbox')
    .select('name')
    .where('account_id', '=', accountId)
    .where(sql<SqlBool>`lower(address COLLATE "C") = ${addressKey(address)}`)
    .where('id', '<>', exceptId)
    .executeTakeFirst();
  if (!other) return null;
  const message = `このアドレスのメールボックス（${other.name}）が、すでにあります。`;
  return fieldProblem(path, 'address_taken', message);
}

async function tooManyProblem(tx: Tx, accountId: number): Promise<Problem | null> {
  if ((await countRows(tx, 'mailbox', ownRows('mailbox', accountId))) < MAX_MAILBOXES) return null;
  const message = `メールボックスは、切断したものも含めて${MAX_MAILBOXES}件までです。切断したものを変更して使ってください。`;
  return new Problem('too_many_mailboxes', message);
}
