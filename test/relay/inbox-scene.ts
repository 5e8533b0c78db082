import { randomUUID } from 'node:crypto';
import { chownSync, copyFileSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { onTestFinished } from 'vitest';
import { giveBack } from '#server/features/reservations/give-back.command.ts';
import { acceptSend } from '#server/features/runs/accept.command.ts';
import { steerRun } from '#server/features/runs/run-control.command.ts';
import { confirmAddress } from '#server/features/sender-addresses/confirmed-address.queries.ts';
import { type TestDatabase, testDatabase } from '#test/db.ts';
import { RETURN_PATTERN } from '#test/inbox-mails.ts';
import { type Program, startProgram } from '#test/program.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { countStates, eventually, type StateCounts } from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';
import { dataDirOf, kill } from '../faults/workers.ts';
import { TEST_MAILING } from '../mailing.ts';
import { type Dovecot, startDovecot } from './dovecot.ts';
import { addressOf, type Fate, startFarSide } from './far-side.ts';
import { type Postfix, startPostfix } from './postfix.ts';

const SALES = 'sales@kaitaku.example';

/** A Postfix that delivers mails to the companies, and returned mails into the mailbox of a Dovecot. */
export interface InboxScene {
  readonly database: TestDatabase;
  readonly tenant: Tenant;
  readonly postfix: Postfix;
  readonly dovecot: Dovecot;
  readonly farSide: SmtpSink;
  /** Starts a worker process. @param databaseUrl through a wire */
  startWorker(options: { readonly readsInbox: boolean; readonly databaseUrl?: string }): Program;
}

/** Starts the whole scene. It stops with the test. */
export async function inboxScene(): Promise<InboxScene> {
  const home = { port: 0 };
  const farSide = await startFarSide(() => home.port);
  onTestFinished(() => farSide.close());
  const domains = ['kaitaku.example', 'bounce.kaitaku.example'];
  const postfix = await startPostfix({ domains, relayPort: farSide.port });
  onTestFinished(() => postfix.stop());
  home.port = postfix.port;
  const dovecot = await startDovecot({ maildir: postfix.maildir });
  onTestFinished(() => dovecot.stop());
  const database = await testDatabase();
  const tenant = await addTenant(database.db);
  await database.db.updateTable('sender_profile').set({ email: SALES }).execute();
  await confirmAddress(database.db, tenant.accountId, SALES);
  return {
    database,
    tenant,
    postfix,
    dovecot,
    farSide,
    startWorker({ readsInbox, databaseUrl = database.url }) {
      const worker = startProgram(['worker'], {
        DATABASE_URL: databaseUrl,
        DATA_DIR: dataDirOf(database.url),
        SMTP_URL: `smtp://127.0.0.1:${postfix.port}`,
        RETURN_ADDRESS: RETURN_PATTERN,
        ...(readsInbox && {
          INBOX_URL: `imap://${dovecot.user}@127.0.0.1:${dovecot.port}/INBOX`,
          INBOX_PASSWORD: dovecot.password,
        }),
      });
      onTestFinished(() => kill(worker));
      return worker;
    },
  };
}

/** Accepts a run to this many companies of each fate, mixed. */
export async function acceptFates({ database, tenant }: InboxScene, counts: Record<Fate, number>): Promise<number> {
  const fates = Object.entries(counts) as [Fate, number][];
  const companies = fates
    .flatMap(([fate, count]) => Array.from({ length: count }, (_, n) => ({ fate, n, place: (n + 0.5) / count })))
    .toSorted((one, other) => one.place - other.place)
    .map(({ fate, n }) => ({ company_name: `${fate} ${n}`, company_email: addressOf(fate, n) }));
  const ids = await addProspects(database.db, tenant.accountId, companies);
  const request = {
    senderId: tenant.senderId,
    idempotencyKey: null,
    ...TEST_MAILING,
    body: {
      test_send_mode: 0 as const,
      attack_list: ids.map((prospect_id) => ({ prospect_id })),
      datetime_list: null,
      days_from_lastday: 7,
    },
  };
  const answer = await acceptSend(database.account(tenant.accountId, tenant.memberId), request, Date.now());
  if (!('send_log_id' in answer) || answer.send_log_id === null) throw new Error(JSON.stringify(answer));
  return answer.send_log_id;
}

/** Waits until all mails have been sent. Resumes the run if bounces paused it, as its owner does. @returns how often */
export async function untilLeft({ database, tenant }: InboxScene, run: number): Promise<number> {
  let pauses = 0;
  const account = database.account(tenant.accountId, tenant.memberId);
  const look = async (): Promise<StateCounts> => {
    const row = await database.db.selectFrom('send_log').select('paused_by').where('id', '=', run).executeTakeFirst();
    if (row?.paused_by === 'policy_bounces') {
      pauses += 1;
      await steerRun(account, run, 'sending', giveBack);
    }
    return countStates(database.db);
  };
  await eventually(look, ({ queued = 0, claimed = 0, sending = 0 }) => queued + claimed + sending === 0, 300_000);
  return pauses;
}

/** Returns the files of the mailbox, seen or unseen. */
export const mailboxFiles = ({ postfix }: Pick<InboxScene, 'postfix'>): string[] =>
  ['new', 'cur'].flatMap((part) => readdirSync(join(postfix.maildir, part)).map((n) => join(postfix.maildir, part, n)));

/** Delivers all mails of the mailbox a second time. */
export function feedAgain(scene: Pick<InboxScene, 'postfix'>): void {
  for (const file of mailboxFiles(scene)) {
    const name = `${Math.floor(Date.now() / 1000)}.${randomUUID()}.again`;
    const fresh = join(scene.postfix.maildir, 'tmp', name);
    copyFileSync(file, fresh);
    const { uid, gid } = statSync(file);
    chownSync(fresh, uid, gid);
    renameSync(fresh, join(scene.postfix.maildir, 'new', name));
  }
}

/** Returns all data that mails of the inbox can change. */
export async function effects({ database: { db } }: Pick<InboxScene, 'database'>): Promise<unknown> {
  const rowsOf = async (table: string, order: string) =>
    (await sql`SELECT to_jsonb(t) AS row FROM ${sql.table(table)} t ORDER BY ${sql.raw(order)}`.execute(db)).rows;
  return {
    deliveries: await rowsOf('delivery', 'id'),
    bounces: await rowsOf('bounce', 'delivery_id, class'),
    replies: await rowsOf('reply', 'id'),
    suppressions: await rowsOf('suppression', 'value'),
    events: await rowsOf('audit_event', 'id'),
  };
}

export interface Counts {
  readonly states: StateCounts;
  readonly bounces: StateCounts;
  readonly replies: StateCounts;
  readonly suppressions: StateCounts;
  readonly optOuts: number;
}

/** Counts the effects on mails, as the screens show them and as the law requires. */
export async function countEffects({ database: { db } }: Pick<InboxScene, 'database'>): Promise<Counts> {
  const counted = async (table: string, by: string): Promise<StateCounts> => {
    const { rows } = await sql<{ by: string; count: number }>`
      SELECT ${sql.raw(by)} AS by, count(*)::integer AS count FROM ${sql.table(table)} GROUP BY 1 ORDER BY 1`.execute(
      db,
    );
    return Object.fromEntries(rows.map((row) => [row.by, row.count]));
  };
  const { opt_out: optOuts = 0 } = await counted('audit_event', 'kind');
  return {
    states: await counted('delivery', 'state'),
    bounces: await counted('bounce', 'class'),
    replies: await counted('reply', 'kind'),
    suppressions: await counted('suppression', `class || ' ' || source`),
    optOuts,
  };
}

/** Returns the time in ms from each mail's arrival in the mailbox to its effect, shortest first. */
export async function effectTimes(scene: InboxScene): Promise<number[]> {
  const { rows } = await sql<{ key: string; messageId: string; at: Date }>`
    SELECT replace(d.mail_key::text, '-', '') AS key, d.message_id AS "messageId", effect.at
    FROM delivery d JOIN (
      SELECT delivery_id, at FROM bounce
      UNION ALL SELECT delivery_id, at FROM reply
      UNION ALL SELECT delivery_id, created_at FROM suppression WHERE class = 'refused'
    ) AS effect ON effect.delivery_id = d.id`.execute(scene.database.db);
  const byName = new Map(rows.flatMap(({ key, messageId, at }) => [[key, at] as const, [messageId, at] as const]));
  return mailboxFiles(scene)
    .flatMap((file) => {
      const text = readFileSync(file, 'latin1');
      const key = /^X-Original-To: [bu]-([0-9a-f]{32})@/m.exec(text)?.[1];
      const at = byName.get(key ?? /^In-Reply-To: (\S+)/m.exec(text)?.[1] ?? '');
      return at ? [at.getTime() - statSync(file).mtimeMs] : [];
    })
    .toSorted((one, other) => one - other);
}
