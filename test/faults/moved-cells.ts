import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished } from 'vitest';
import { notifyWorkers } from '#server/features/moves/freeze.command.ts';
import { decideRestored } from '#server/features/reservations/restored.command.ts';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { setCell } from '#server/platform/database/cell.ts';
import { type Database, type Db, openDatabase } from '#server/platform/database/db.ts';
import { emailOf } from '#test/accounts.ts';
import { clientOf } from '#test/client.ts';
import { type TestDatabase, testDatabase } from '#test/db.ts';
import { makeInstallation } from '#test/installation.ts';
import { switchOffNoticeMails } from '#test/notices.ts';
import { freePort, type Program, startProgram } from '#test/program.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { nextReservable, reserveBy } from '#test/reservations.ts';
import { acceptRun, eventually, testSink } from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';
import { form } from './form.ts';
import { kill, untilStarted } from './workers.ts';

/*
 * An account moves during a run, and then one of the two cells is restored from a backup. Its mails become due in
 * quarters: by their ids modulo 4.
 */

/** The account's host. It leads directly to the target's `web`, without a proxy. */
const HOST = '127.0.0.1';
export const MAILS = form.isLong ? 400 : 40;
export const RESERVED = 3;
/** The number of each account's open mails in a backup made after the first quarter was sent. */
export const OPEN_BEFORE = (3 * MAILS) / 4;
/** The domains of the moving account, its neighbour at home, one at the target; and of its reservation. */
export const [MOVED, BESIDE, THERE, BOOKED] = ['moved.example', 'beside.example', 'there.example', 'booked.example'];
/** An installation with the machine of its worker. */
export interface Cell {
  /** A superuser's URL, which can read and load all rows. */
  readonly url: string;
  readonly db: Db;
  readonly env: Readonly<Record<string, string>>;
  /** Receives the mails that it sends. */
  readonly sink: SmtpSink;
}

/** @param target the database and role that `kaitaku` uses */
const cellOf = (
  { url, db }: Pick<Cell, 'url' | 'db'>,
  sink: SmtpSink,
  target: { readonly dataDir: string; readonly webPort: string; readonly url?: string; readonly prefix?: string },
): Cell => ({
  url,
  db,
  sink,
  env: {
    DATABASE_URL: target.url ?? url,
    DATA_DIR: target.dataDir,
    SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    PORT: target.webPort,
    PUBLIC_URL: `http://localhost:${target.webPort}`,
    ...(target.prefix && { DATABASE_ROLE_PREFIX: target.prefix }),
  },
});

export function start(cell: Cell, ...args: string[]): Program {
  const program = startProgram(args, cell.env);
  onTestFinished(() => kill(program));
  return program;
}

/** Runs a command until it ends. @returns its output */
export async function run(cell: Cell, code: number, ...args: string[]): Promise<string> {
  const program = start(cell, ...args);
  expect(await program.ended, program.output()).toBe(code);
  return program.output();
}

export async function startWorker(cell: Cell): Promise<Program> {
  const worker = start(cell, 'worker');
  await untilStarted(worker);
  return worker;
}

/** Lets members of all accounts that are not frozen send what is on hold since a restore. */
export async function sendAsPlanned({ db }: Cell): Promise<void> {
  const accounts = await db.selectFrom('account').select('id').where('frozen_at', 'is', null).execute();
  for (const { id } of accounts) await decideRestored(accountDbOf(db)(id, null), 'send');
}

/** Makes a quarter of the waiting mails due, except those on hold, for all accounts that are not frozen. */
export async function fallDue({ db }: Cell, quarters: readonly number[]): Promise<void> {
  await sql`
    UPDATE delivery SET not_before = now() WHERE state = 'queued' AND not_before < 'infinity' AND id % 4 = ANY (${quarters})
      AND account_id IN (SELECT id FROM account WHERE frozen_at IS NULL)`.execute(db);
  await notifyWorkers(db);
}

/** Makes the reservation due, also in a frozen account. */
export async function comeToReservation({ db }: Cell): Promise<void> {
  await db.updateTable('reservation').set({ send_at: sql<Date>`now() - interval '1 minute'` }).execute();
  await notifyWorkers(db);
}

/** Waits until no mail is due in accounts that are not frozen. */
export const untilSent = ({ db }: Cell) =>
  eventually(
    async () => {
      const { rows } = await sql<{ open: number }>`
        SELECT (SELECT count(*) FROM delivery WHERE state IN ('queued', 'claimed', 'sending') AND not_before <= now()
            AND account_id IN (SELECT id FROM account WHERE frozen_at IS NULL))::integer
          + (SELECT count(*) FROM reservation WHERE active AND NOT is_sent AND missed_at IS NULL AND send_at <= now()
            AND account_id IN (SELECT id FROM account WHERE frozen_at IS NULL))::integer AS open`.execute(db);
      return rows[0]?.open;
    },
    (open) => open === 0,
    60_000,
  );

export const addressesIn = ({ mails }: SmtpSink): string[] => mails.flatMap(({ to }) => to);
export const ofDomains = (addresses: readonly string[], ...domains: string[]) =>
  addresses.filter((address) => domains.some((domain) => address.endsWith(`@${domain}`)));

async function addRun(database: TestDatabase, domain: string): Promise<Tenant> {
  const tenant = await addTenant(database.db);
  await switchOffNoticeMails(database.db, tenant);
  await acceptRun(database, tenant, MAILS, { domain });
  await database.db
    .updateTable('delivery')
    .set({ not_before: sql<Date>`now() + interval '1 hour'` })
    .where('account_id', '=', tenant.accountId)
    .where(sql<boolean>`id % 4 <> 0`)
    .execute();
  return tenant;
}

async function reserve(home: TestDatabase, tenant: Tenant): Promise<void> {
  const companies = Array.from({ length: RESERVED }, (_, n) => ({ company_email: `info${n}@${BOOKED}` }));
  const ids = await addProspects(home.db, tenant.accountId, companies);
  const client = await clientOf(home, tenant.accountId);
  await reserveBy({ client, tenant }, ids, { send_at: nextReservable() });
}

/** Moves an account during its run, with backups before, during and after the move. */
export async function movedScene() {
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-move-restore-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [homeData, targetData] = [await testDatabase(), await testDatabase()];
  await setCell(targetData.pool, 3);
  const webPort = String(await freePort());
  const home = cellOf(homeData, await testSink(), { dataDir: join(folder, 'home'), webPort });
  const target = cellOf(targetData, await testSink(), { dataDir: join(folder, 'target'), webPort });
  const backup = async (cell: Cell, name: string) => {
    const file = join(folder, `${name}.backup`);
    await run(cell, 0, 'backup', file);
    return file;
  };
  await addRun(targetData, THERE);
  const targetWorker = await startWorker(target);
  await untilSent(target);
  const targetBefore = await backup(target, 'target-before');

  // Newer than that backup.
  const tenant = await addRun(homeData, MOVED);
  await reserve(homeData, tenant);
  await addRun(homeData, BESIDE);
  // Workers start now: earlier they would send due mails before the times of the run are set.
  const workers = { home: await startWorker(home), target: targetWorker };
  const account_id = tenant.accountId;
  await home.db.insertInto('account_host').values({ account_id, host: HOST, is_current: true }).execute();
  const email = await emailOf(home.db, account_id);
  await fallDue(home, [0]);
  await untilSent(home);
  const homeBefore = await backup(home, 'home-before');
  await fallDue(home, [1]);
  await untilSent(home);
  const moveTo = (to: Cell, ...more: string[]) => [
    'account',
    'move',
    '--email',
    email,
    '--to',
    to.url,
    '--without-late-mail',
    ...more,
  ];
  const interrupted = start(home, ...moveTo(target));
  await interrupted.until('3/4');
  await kill(interrupted);
  const targetArriving = await backup(target, 'target-arriving');
  await run(home, 0, ...moveTo(target));
  const homeAfter = await backup(home, 'home-after');
  await comeToReservation(target);
  for (const cell of [home, target]) await fallDue(cell, [2]);
  for (const cell of [home, target]) await untilSent(cell);
  // Half was sent by the home, a quarter and the reservation by the target; a quarter waits.
  expect([
    ofDomains(addressesIn(home.sink), MOVED, BOOKED).length,
    ofDomains(addressesIn(target.sink), MOVED, BOOKED).length,
  ]).toStrictEqual([MAILS / 2, MAILS / 4 + RESERVED]);
  const backups = { targetBefore, targetArriving, homeBefore, homeAfter };
  const movedTo = `http://${HOST}:${webPort}`;
  return { folder, home, target, workers, backups, accountId: account_id, email, movedTo, moveTo };
}

export type Scene = Awaited<ReturnType<typeof movedScene>>;

let restores = 0;

/**
 * Restores a lost cell from a backup, with its worker's machine in the current state.
 * @param keepsReceipts whether the machine still has its disk
 */
export async function restoreCell(
  lost: Cell,
  folder: string,
  file: string,
  { keepsReceipts = true } = {},
): Promise<Cell> {
  restores += 1;
  const dataDir = join(folder, `restored-${restores}`);
  if (keepsReceipts) cpSync(lost.env.DATA_DIR ?? '', dataDir, { recursive: true });
  const place = await makeInstallation();
  onTestFinished(place.drop);
  const owner: Database = openDatabase(place.adminUrl);
  onTestFinished(() => owner.close());
  const at = { url: place.adminUrl, db: owner.db };
  const cell = cellOf(at, await testSink(), {
    dataDir,
    webPort: lost.env.PORT ?? '',
    url: place.url,
    prefix: place.prefix,
  });
  await run(cell, 0, 'restore', file);
  return cell;
}
