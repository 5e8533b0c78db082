import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { notifyWorkers } from '#server/features/moves/freeze.command.ts';
import { setCell } from '#server/platform/database/cell.ts';
import { type Database, type Db, openDatabase } from '#server/platform/database/db.ts';
import { emailOf } from '#test/accounts.ts';
import { clientOf } from '#test/client.ts';
import { type TestDatabase, testDatabase } from '#test/db.ts';
import { makeInstallation } from '#test/installation.ts';
import { switchOffNoticeMails } from '#test/notices.ts';
import { type Program, startProgram } from '#test/program.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { nextReservable, reserveBy } from '#test/reservations.ts';
import { acceptRun, eventually, testSink, unbalancedRuns } from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';
import { form } from './form.ts';
import { report } from './report.ts';
import { kill, stop, untilStarted } from './workers.ts';

/*
 * An account moves in the middle of a run, and then one of the two cells is restored from a backup. Its mails fall due
 * in quarters: by their ids modulo 4.
 */

const HOST = 'acme.kaitaku.example.jp';
const MAILS = form.isLong ? 400 : 40;
const RESERVED = 3;
/** Of each account, in a backup of when the first quarter had left. */
const OPEN_BEFORE = (3 * MAILS) / 4;
/** Of the account that moves, of its neighbour at its home, and of one at the target; and of its reservation. */
const [MOVED, BESIDE, THERE, BOOKED] = ['moved.example', 'beside.example', 'there.example', 'booked.example'];
/** A worker that could claim while sending is paused would claim within this time. */
const REST_MS = 1500;

/** An installation with its worker's machine. */
interface Cell {
  /** For a superuser, who sees all rows, and may load them. */
  readonly url: string;
  readonly db: Db;
  readonly env: Readonly<Record<string, string>>;
  /** What leaves by its mail server. */
  readonly sink: SmtpSink;
}

/** @param target where `kaitaku` connects, and as whom */
const cellOf = (
  { url, db }: Pick<Cell, 'url' | 'db'>,
  sink: SmtpSink,
  target: { readonly dataDir: string; readonly url?: string; readonly prefix?: string },
): Cell => ({
  url,
  db,
  sink,
  env: {
    DATABASE_URL: target.url ?? url,
    DATA_DIR: target.dataDir,
    SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    PUBLIC_URL: 'https://kaitaku.example.jp',
    ...(target.prefix && { DATABASE_ROLE_PREFIX: target.prefix }),
  },
});

function start(cell: Cell, ...args: string[]): Program {
  const program = startProgram(args, cell.env);
  onTestFinished(() => kill(program));
  return program;
}

/** Runs a command to its end. @returns its output */
async function run(cell: Cell, code: number, ...args: string[]): Promise<string> {
  const program = start(cell, ...args);
  expect(await program.ended, program.output()).toBe(code);
  return program.output();
}

async function startWorker(cell: Cell): Promise<Program> {
  const worker = start(cell, 'worker');
  await untilStarted(worker);
  return worker;
}

/** Lets a share of the waiting mails of all accounts that are not frozen fall due. */
async function fallDue({ db }: Cell, quarters: readonly number[]): Promise<void> {
  await sql`
    UPDATE delivery SET not_before = now() WHERE state = 'queued' AND id % 4 = ANY (${quarters})
      AND account_id IN (SELECT id FROM account WHERE frozen_at IS NULL)`.execute(db);
  await notifyWorkers(db);
}

/** Lets the hour of the reservation come, in a frozen account too. */
async function comeToReservation({ db }: Cell): Promise<void> {
  await db.updateTable('reservation').set({ send_at: sql<Date>`now() - interval '1 minute'` }).execute();
  await notifyWorkers(db);
}

/** Waits until no mail of accounts that go on is due. */
const untilSent = ({ db }: Cell) =>
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

const addressesIn = ({ mails }: SmtpSink): string[] => mails.flatMap(({ to }) => to);
const ofDomains = (addresses: readonly string[], ...domains: string[]) =>
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

/** Moves an account in the middle of its run, with backups of before, in between and after. */
async function movedScene() {
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-move-restore-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [homeData, targetData] = [await testDatabase(), await testDatabase()];
  await setCell(targetData.pool, 3);
  const home = cellOf(homeData, await testSink(), { dataDir: join(folder, 'home') });
  const target = cellOf(targetData, await testSink(), { dataDir: join(folder, 'target') });
  const backup = async (cell: Cell, name: string) => {
    const file = join(folder, `${name}.backup`);
    await run(cell, 0, 'backup', file);
    return file;
  };
  await addRun(targetData, THERE);
  const workers = { home: await startWorker(home), target: await startWorker(target) };
  await untilSent(target);
  const targetBefore = await backup(target, 'target-before');

  // Younger than that backup.
  const tenant = await addRun(homeData, MOVED);
  await reserve(homeData, tenant);
  await addRun(homeData, BESIDE);
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
  // Half left the home, a quarter and the reservation the target; a quarter waits.
  expect([
    ofDomains(addressesIn(home.sink), MOVED, BOOKED).length,
    ofDomains(addressesIn(target.sink), MOVED, BOOKED).length,
  ]).toStrictEqual([MAILS / 2, MAILS / 4 + RESERVED]);
  const backups = { targetBefore, targetArriving, homeBefore, homeAfter };
  return { folder, home, target, workers, backups, accountId: account_id, moveTo };
}

type Scene = Awaited<ReturnType<typeof movedScene>>;

let restores = 0;

/**
 * Restores a lost cell from a backup, for its worker's machine as it is now.
 * @param keepsReceipts whether the machine has its disk still
 */
async function restoreCell(lost: Cell, folder: string, file: string, { keepsReceipts = true } = {}): Promise<Cell> {
  restores += 1;
  const dataDir = join(folder, `restored-${restores}`);
  if (keepsReceipts) cpSync(lost.env.DATA_DIR ?? '', dataDir, { recursive: true });
  const place = await makeInstallation();
  onTestFinished(place.drop);
  const owner: Database = openDatabase(place.adminUrl);
  onTestFinished(() => owner.close());
  const at = { url: place.adminUrl, db: owner.db };
  const cell = cellOf(at, await testSink(), { dataDir, url: place.url, prefix: place.prefix });
  await run(cell, 0, 'restore', file);
  return cell;
}

/** What all mail servers took: of the cells until the loss, and of the restored one. */
async function judge(run: string, begun: number, { home, target }: Scene, restored: Cell, expected: string[]) {
  const all = [home.sink, target.sink, restored.sink].flatMap(addressesIn);
  const asked = expected.flatMap((domain) =>
    Array.from({ length: domain === BOOKED ? RESERVED : MAILS }, (_, n) => `info${n}@${domain}`),
  );
  const { rows } = await sql<{ to: string }>`SELECT mail_to AS to FROM delivery WHERE state = 'unknown'`.execute(
    restored.db,
  );
  const unknown = rows.map(({ to }) => to);
  const known = new Set([...all, ...unknown]);
  const lost = asked.filter((address) => !known.has(address));
  const doubled = all.filter((address, n) => all.indexOf(address) !== n);
  report({
    run,
    mails: asked.length,
    faults: 1,
    sent: all.length,
    unknown: unknown.length,
    unknownArrived: unknown.filter((address) => all.includes(address)).length,
    lost: lost.length,
    duplicates: doubled.length,
    recovery: null,
    seconds: (performance.now() - begun) / 1000,
  });
  return { lost, doubled, unknown: unknown.length, wrong: await unbalancedRuns(restored.db) };
}

const GOOD = { lost: [], doubled: [], unknown: 0, wrong: [] };

/** The worker of a restored cell runs, and nothing leaves it. */
async function expectPaused({ sink }: Cell): Promise<void> {
  const before = sink.mails.length;
  await sleep(REST_MS);
  expect(sink.mails.length).toBe(before);
}

async function goOn(cell: Cell, ...how: string[]): Promise<void> {
  await run(cell, 0, 'receipts', 'resume', ...how);
  await fallDue(cell, [0, 1, 2, 3]);
  await untilSent(cell);
}

const LIMIT_MS = 240_000 + MAILS * 100;

test(
  'the target of a move restored to before it or into it: the account comes back, and no mail leaves twice',
  async () => {
    const scene = await movedScene();
    const { folder, home, target, workers, backups, moveTo } = scene;
    await stop(workers.target);
    // Its hour has come in what stayed at home, too.
    await comeToReservation(home);

    let begun = performance.now();
    const before = await restoreCell(target, folder, backups.targetBefore);
    await startWorker(before);
    await run(before, 0, 'receipts', 'merge');
    await goOn(before);
    expect(ofDomains(addressesIn(before.sink), MOVED, BOOKED)).toStrictEqual([]);
    expect(await run(home, 1, ...moveTo(before))).toContain('--target-restored');
    expect(await run(home, 0, ...moveTo(before, '--target-restored'))).toContain('receipts merge');
    await fallDue(before, [0, 1, 2, 3]);
    await expectPaused(before);
    expect(await run(before, 1, 'receipts', 'resume')).toContain('先に receipts merge');
    await run(before, 0, 'receipts', 'merge');
    await goOn(before);
    const everything = [MOVED, BOOKED, THERE];
    expect(await judge('target restored to before a move', begun, scene, before, everything)).toStrictEqual(GOOD);
    // Once it lives there, nothing brings it back a second time.
    expect(await run(home, 1, ...moveTo(before, '--target-restored'))).toContain('すでにあります');

    begun = performance.now();
    const arriving = await restoreCell(target, folder, backups.targetArriving);
    await startWorker(arriving);
    await run(home, 0, ...moveTo(arriving));
    await fallDue(arriving, [0, 1, 2, 3]);
    await expectPaused(arriving);
    await run(arriving, 0, 'receipts', 'merge');
    await goOn(arriving);
    expect(await judge('target restored into a move', begun, scene, arriving, everything)).toStrictEqual(GOOD);

    begun = performance.now();
    const bare = await restoreCell(target, folder, backups.targetBefore, { keepsReceipts: false });
    await run(home, 0, ...moveTo(bare, '--target-restored'));
    await startWorker(bare);
    await fallDue(bare, [0, 1, 2, 3]);
    await expectPaused(bare);
    expect(await run(bare, 1, 'receipts', 'resume')).toContain('--without-receipts');
    await goOn(bare, '--without-receipts');
    // Nothing of it left: a person decides about the half that waited, and the reservation counts as missed.
    expect(addressesIn(bare.sink)).toStrictEqual([]);
    expect(await judge('the same without receipts', begun, scene, bare, [MOVED, THERE])).toMatchObject({
      ...GOOD,
      unknown: MAILS / 2 + OPEN_BEFORE,
    });
  },
  LIMIT_MS,
);

/** How the source is restored. */
const SOURCES: readonly {
  readonly run: string;
  readonly from: 'homeBefore' | 'homeAfter';
  /** By PostgreSQL's own tools, which pause nothing. */
  readonly isBare?: true;
  /** The disk of its worker's machine is lost. */
  readonly isWithoutReceipts?: true;
}[] = [
  { run: 'source restored to after a move', from: 'homeAfter' },
  { run: 'source restored to before a move', from: 'homeBefore' },
  { run: 'the same by other tools', from: 'homeBefore', isBare: true },
  { run: 'the same without receipts', from: 'homeBefore', isWithoutReceipts: true },
];

/** Does what an operator does with a source that was restored to before a move. */
async function learnOfMove({ accountId, home, target, moveTo }: Scene, restored: Cell, hasReceipts: boolean) {
  if (hasReceipts) {
    const named = `アカウントID ${accountId} は https://${HOST} に移行済み`;
    expect(await run(restored, 1, 'receipts', 'resume')).toContain(named);
    expect(await run(restored, 0, 'receipts', 'merge')).toContain(named);
    return;
  }
  expect(await run(restored, 1, 'receipts', 'resume')).toContain('--without-receipts');
  await run(restored, 0, ...moveTo(target));
  const movedTo = ({ db }: Cell) => db.selectFrom('account').select('moved_to').where('id', '=', accountId).execute();
  expect(await movedTo(restored)).toStrictEqual(await movedTo(home));
}

test(
  'the source of a move restored to after it or before it: no mail of the account leaves it, and others go on',
  async () => {
    const scene = await movedScene();
    const { folder, home, target, workers, backups } = scene;
    // Each machine with a worker knows of the move soon.
    const receipts = join(home.env.DATA_DIR ?? '', 'receipts');
    await eventually(
      () => readdirSync(receipts, { recursive: true, encoding: 'utf8' }),
      (names) => names.some((name) => name.endsWith('.json')),
    );
    await stop(workers.home);
    // The new home has sent all that waited.
    await fallDue(target, [3]);
    await untilSent(target);
    for (const { run: name, from, isBare, isWithoutReceipts } of SOURCES) {
      const begun = performance.now();
      const restored = await restoreCell(home, folder, backups[from], { keepsReceipts: !isWithoutReceipts });
      await comeToReservation(restored);
      await fallDue(restored, [0, 1, 2, 3]);
      if (isBare)
        await sql`UPDATE installation SET rewound_at = NULL, restored_from = NULL, receipts_until = NULL`.execute(
          restored.db,
        );
      const worker = await startWorker(restored);
      if (isBare) await worker.until(`"movedTo":"https://${HOST}"`);
      await expectPaused(restored);
      expect(addressesIn(restored.sink)).toStrictEqual([]);
      if (from === 'homeBefore') await learnOfMove(scene, restored, !isWithoutReceipts);
      else await run(restored, 0, 'receipts', 'merge');
      await goOn(restored, ...(isWithoutReceipts ? ['--without-receipts'] : []));
      await expectPaused(restored);
      expect(ofDomains(addressesIn(restored.sink), MOVED, BOOKED)).toStrictEqual([]);
      // Without receipts all that was open is unknown, also of the account that has left: its members look elsewhere.
      const unknown = isWithoutReceipts ? 2 * OPEN_BEFORE : 0;
      const verdict = await judge(name, begun, scene, restored, [MOVED, BOOKED, BESIDE]);
      expect(verdict).toStrictEqual({ ...GOOD, unknown });
      await stop(worker);
    }
  },
  LIMIT_MS,
);
