import { onTestFinished } from 'vitest';
import { readAccountHosts } from '#server/features/account-hosts/read-hosts.ts';
import { NO_ENVELOPE } from '#server/features/inbox/inbox-mail.ts';
import { readInboxMail } from '#server/features/inbox/read-mail.ts';
import { takeMail, takeOrHold } from '#server/features/inbox/take-mail.command.ts';
import { type MoveParts, moveAccount } from '#server/features/moves/move-account.command.ts';
import { passOn } from '#server/features/moves/pass-on.command.ts';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { setCell } from '#server/platform/database/cell.ts';
import type { Db } from '#server/platform/database/db.ts';
import { PUBLIC_URL, serveApp } from './client.ts';
import { type TestDatabase, testDatabase } from './db.ts';
import { RETURN_PATTERN } from './inbox-mails.ts';
import { addDelivery } from './prospect-history.ts';
import { addProspects, type Tenant } from './prospects.ts';
import { giveTestKey } from './secrets.ts';
import { testSink } from './sending.ts';

/** Cells between which tests move an account: databases, each with an API on its own port. */

export interface Cell {
  readonly database: TestDatabase;
  /** The origin of its API. Its account's host is 127.0.0.1, so that no proxy is needed. */
  readonly origin: string;
  /** The pattern of its return addresses. */
  readonly returnPattern: string;
}

/** Serves a database as a cell, which reloads the hosts each second. */
export async function serveCell(database: TestDatabase, returnPattern = RETURN_PATTERN): Promise<Cell> {
  const log = { error: () => {} };
  const { accountHosts, stop } = await readAccountHosts({ db: database.login, publicUrl: PUBLIC_URL, log });
  onTestFinished(stop);
  const { address } = await serveApp({ ...database, accountHosts });
  return { database, origin: new URL(address).origin, returnPattern };
}

/** Makes another cell. */
export async function otherCell(cell: number): Promise<Cell> {
  const database = await testDatabase();
  await setCell(database.pool, cell);
  await giveTestKey(database.db);
  return serveCell(database, `b-{key}@cell${cell}.example`);
}

/** Sets the host of an account through which the tests reach its cell. */
export const giveHost = ({ db }: TestDatabase, account_id: number, host = '127.0.0.1') =>
  db.insertInto('account_host').values({ account_id, host, is_current: true }).execute();

/** Returns the services that the thaw of an account needs, for a database of a test. */
export const thawServicesOf = (db: Db, returnPattern = RETURN_PATTERN): ReturnType<MoveParts['thawServices']> => ({
  db,
  accountDb: accountDbOf(db),
  takeHeldMail: async (services, { source, envelope }) =>
    takeMail({ ...services, db }, await readInboxMail(source, returnPattern, envelope), async () => []),
});

/** Moves an account from one cell to another. */
export const moveBetween = (from: Cell, to: Cell, accountId: number, more: Partial<MoveParts> = {}) =>
  moveAccount(
    {
      home: from.database.service,
      target: to.database,
      url: to.origin,
      lateMailTo: to.returnPattern,
      thawServices: (db) => thawServicesOf(db, to.returnPattern),
      ...more,
    },
    accountId,
  );

export interface SentMail {
  readonly id: number;
  readonly mailTo: string;
  /** The key in links and return addresses. */
  readonly key: string;
  /** The local part of its Message-ID. */
  readonly uuid: string;
}

/** Adds a mail that an account has sent to its own company. */
export async function addSentMail({ db }: TestDatabase, tenant: Tenant, mailTo: string): Promise<SentMail> {
  const [prospect = 0] = await addProspects(db, tenant.accountId, [
    { company_name: mailTo, company_email: mailTo, email_search: mailTo },
  ]);
  const runId = await addDelivery(db, tenant, prospect, { state: 'sent', mailTo });
  const uuid = crypto.randomUUID();
  const { id, mail_key } = await db
    .updateTable('delivery')
    .set({ finished_at: new Date(), message_id: `<${uuid}@kaitaku.example>` })
    .where('send_log_id', '=', runId)
    .returning(['id', 'mail_key'])
    .executeTakeFirstOrThrow();
  return { id, mailTo, key: mail_key.replaceAll('-', ''), uuid };
}

/** Delivers a mail to the inbox of a cell. @param recipient the envelope's; absent: the mailbox does not store it */
export async function takeAt(
  { database, returnPattern }: Pick<Cell, 'database' | 'returnPattern'>,
  source: Buffer,
  recipient?: string,
): Promise<string> {
  const { db } = database.service;
  const services = { db, now: Date.now, accountDb: accountDbOf(db) };
  const envelope = recipient === undefined ? NO_ENVELOPE : { recipient, sender: '' };
  const mail = await readInboxMail(source, returnPattern, envelope);
  return takeOrHold(services, mail, async () => [], { source, envelope });
}

/** Forwards what a cell holds for moved accounts. @returns kinds, answers to opt-outs, and the mails */
export async function passOnFrom({ database }: Cell) {
  const sink = await testSink();
  const [passed, refused]: [string[], string[]] = [[], []];
  await passOn({
    db: database.service.db,
    smtp: { host: '127.0.0.1', port: sink.port, secure: false, requireTls: false, credentials: null },
    onPassed: (kind) => passed.push(kind),
    onRefused: ({ answer }) => refused.push(answer),
  });
  return { passed, refused, mails: sink.mails };
}

/** Returns the kinds of the items that a cell holds. */
export const heldAt = async ({ database: { db } }: Cell): Promise<readonly string[]> =>
  (await db.selectFrom('held_arrival').select('kind').orderBy('id').execute()).map(({ kind }) => kind);

/** Returns the suppressed addresses of a cell, with their source. */
export const refusedAt = ({ database: { db } }: Pick<Cell, 'database'>) =>
  db.selectFrom('suppression').select(['value', 'source', 'class']).orderBy('value').execute();
