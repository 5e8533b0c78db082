import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { giveBack } from '#server/features/reservations/give-back.command.ts';
import { cancelReservation } from '#server/features/reservations/reservation.command.ts';
import { decideRestored } from '#server/features/reservations/restored.command.ts';
import { steerRun } from '#server/features/runs/run-control.command.ts';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { openDatabase } from '#server/platform/database/db.ts';
import { createTestDatabase, type TestDatabase } from '#test/db.ts';
import { makeInstallation } from '#test/installation.ts';
import { acceptMails } from '#test/mails.ts';
import { type Program, startProgram } from '#test/program.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects, type Tenant } from '#test/prospects.ts';
import { acceptRun, countStates, eventually, testSink, untilSettled } from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';
import { form } from './form.ts';
import { report } from './report.ts';
import { judge } from './truth.ts';
import { kill, retryNow, stop, untilSettledByRetries, untilStarted } from './workers.ts';

const random = form.random();
const RESTORES = form.isLong ? 10 : 1;
/** The mails of a run that is undone after the backup, and companies of each reservation that is deleted or moved. */
const TAKEN = 10;
/** The domain of their addresses. */
const TAKEN_BACK = 'taken.example';
/** The short form tests the order of steps, not many mails. */
const MAILS = form.isLong ? Math.floor(form.mails / RESTORES) : 300;
const WORKERS = 2;
const CONNECTIONS = 4;
/** The time in ms within which a worker would claim mails, if it could while sending is paused. */
const REST_MS = 1000;
/** Workers claim again 6 s after a resume. */
const CLAIMS_AFTER_MS = 8000;

/** A program's access to an installation: its database and, for workers, the mail server. */
interface Machine {
  readonly env: Record<string, string>;
}

/** Runs a command until it ends. @returns its output */
async function run({ env }: Machine, code: number, ...args: string[]): Promise<string> {
  const program = startProgram(args, env);
  onTestFinished(() => kill(program));
  expect(await program.ended, program.output()).toBe(code);
  return program.output();
}

async function startWorkers({ env }: Machine): Promise<readonly Program[]> {
  const workers = Array.from({ length: WORKERS }, () =>
    startProgram(['worker'], { ...env, WORKER_CONNECTIONS: String(CONNECTIONS) }),
  );
  for (const worker of workers) onTestFinished(() => kill(worker));
  await untilStarted(...workers);
  return workers;
}

/**
 * Lets two workers send a run, makes a backup during it, and sends more mails. Then the database is lost.
 * @param end stops the workers
 */
async function untilLost(end: (worker: Program) => Promise<unknown>) {
  const lost: TestDatabase = await createTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-restore-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const sink = await testSink();
  const before = { DATABASE_URL: lost.url, DATA_DIR: join(folder, 'data'), SMTP_URL: `smtp://127.0.0.1:${sink.port}` };
  const tenant = await acceptMails(lost, MAILS);
  const { accountId, memberId } = tenant;
  const taken = await acceptRun(lost, tenant, TAKEN, { domain: TAKEN_BACK });
  const reserved = [await reserve(lost, tenant, 10), await reserve(lost, tenant, 20)] as const;
  await lost.pool.query(`UPDATE delivery SET not_before = now() + interval '1 hour' WHERE send_log_id = ${taken.id}`);
  // Half of the mails wait, so that they are certainly claimed after the backup.
  await lost.pool.query(`UPDATE delivery SET not_before = now() + interval '1 hour' WHERE id % 2 = 0`);
  // After this many mails the mail server stops answering final dots, so that the backup contains mails being sent, and
  // waiting ones.
  const answered = MAILS * (0.05 + 0.2 * random());
  sink.fault = (moment) => (moment === 'dot' && sink.mails.length >= answered ? 'wait' : null);
  const workers = await startWorkers({ env: before });
  const file = join(folder, 'backup');
  await eventually(
    () => sink.waiting.length,
    (mails) => mails >= CONNECTIONS,
    60_000,
  );
  const known = sink.mails.length;
  await run({ env: before }, 0, 'backup', file);
  // A member undoes a run, deletes a reservation and moves another by a week.
  const member = lost.account(accountId, memberId);
  await steerRun(member, taken.id, 'cancelled', giveBack);
  await cancelReservation(member, reserved[0]);
  await lost.pool.query(`UPDATE reservation SET send_at = send_at + interval '7 days' WHERE id = ${reserved[1]}`);
  sink.fault = () => null;
  for (const answer of sink.waiting) answer();
  await retryNow(lost);
  const share = 0.05 + 0.3 * random();
  await eventually(
    () => lost.pool.query(`SELECT FROM delivery WHERE id % 2 = 0 AND state = 'sent'`),
    ({ rowCount }) => (rowCount ?? 0) >= MAILS * share,
    60_000,
  );
  await Promise.all(workers.map(end));
  const left = sink.mails.length - known;
  await lost.drop();

  const target = await makeInstallation();
  onTestFinished(target.drop);
  const owner = openDatabase(target.adminUrl);
  onTestFinished(() => owner.close());
  const env = { ...before, DATABASE_URL: target.url, DATABASE_ROLE_PREFIX: target.prefix };
  const api = openDatabase(target.access.urlOf('api'), { role: 'api' });
  onTestFinished(() => api.close());
  const restored = accountDbOf(api.db)(accountId, memberId);
  return { sink, folder, file, left, owner, machine: { env }, restored, takenRun: taken.id };
}

/** Reserves as many companies as the undone run has. @param minutes from now */
async function reserve({ db }: TestDatabase, tenant: Tenant, minutes: number): Promise<number> {
  const companies = Array.from({ length: TAKEN }, (_, n) => ({ company_email: `r${minutes}-${n}@${TAKEN_BACK}` }));
  const ids = await addProspects(db, tenant.accountId, companies);
  return addReservation(db, tenant, ids, { sendAt: new Date(Date.now() + minutes * 60_000) });
}

/** Makes the reservations due, and checks that neither they nor the runs of the backup start. */
async function expectStill({ sink, owner }: Awaited<ReturnType<typeof untilLost>>): Promise<void> {
  // Both reservations have the same sender, so their times must differ.
  await owner.pool.query(`UPDATE reservation SET send_at = now() - id * interval '1 second'`);
  // The waiting time after a change of the server is over: workers may claim.
  await owner.pool.query(`UPDATE installation SET server_since = '-infinity'`);
  const atRest = sink.mails.length;
  await sleep(REST_MS);
  expect(sink.mails.length).toBe(atRest);
  expect(takenBack(sink)).toStrictEqual([]);
}

const takenBack = ({ mails }: SmtpSink) => mails.flatMap(({ to }) => to).filter((to) => to.endsWith(`@${TAKEN_BACK}`));

const total = { left: 0, sent: 0, unknown: 0, unknownArrived: 0, lost: 0, duplicates: 0, seconds: 0 };
afterAll(() => {
  const { left, ...figures } = total;
  const run = `restored backups, ${left} mails left since them`;
  report({ run, mails: 2 * (MAILS + TAKEN) * RESTORES, faults: 2 * RESTORES, recovery: null, ...figures });
});

/** Waits for the end of all mails, and judges their states by what arrived. */
async function verdictOf({ sink, owner, left }: Awaited<ReturnType<typeof untilLost>>, begun: number) {
  await untilSettledByRetries(owner, 120_000);
  const arrived = sink.mails.map(({ messageId }) => messageId);
  const { wrong, ...verdict } = await judge(owner.db, arrived);
  for (const [name, count] of Object.entries(verdict)) total[name as keyof typeof verdict] += count;
  total.left += left;
  total.seconds += (performance.now() - begun) / 1000;
  return { wrong, ...verdict };
}

const rounds = Array.from({ length: RESTORES }, (_, n) => n + 1);
const LIMIT_MS = 240_000 + MAILS * 20;

test.each(rounds)(
  `a backup during ${MAILS} mails, restored with the receipts: none is doubled or lost (${form.seed}, %d)`,
  async () => {
    const begun = performance.now();
    // The workers stop normally: if they and the database were lost at once, mails being sent would have no receipt.
    const scene = await untilLost(stop);
    const { sink, file, left, machine, owner } = scene;
    expect(left).toBeGreaterThan(0);
    await run(machine, 0, 'restore', file);
    const workers = await startWorkers(machine);
    const atRest = sink.mails.length;
    await sleep(REST_MS);
    expect(await run(machine, 1, 'receipts', 'resume')).toContain('先に receipts merge');
    await run(machine, 0, 'receipts', 'merge');
    expect(sink.mails.length).toBe(atRest);
    expect(await run(machine, 0, 'receipts', 'resume')).toContain('まで止まっているもの');
    await expectStill(scene);
    // A member drops the undone run, and sends all others as planned.
    await steerRun(scene.restored, scene.takenRun, 'cancelled', giveBack);
    expect(await decideRestored(scene.restored, 'send')).toMatchObject({ reservations: 0, over: 2 });
    const verdict = await verdictOf(scene, begun);
    expect(takenBack(sink)).toStrictEqual([]);
    for (const worker of workers) expect(await stop(worker), worker.output()).toBe(0);
    expect(verdict).toMatchObject({ wrong: [], sent: MAILS, unknown: 0, lost: 0, duplicates: 0 });
    expect(await countStates(owner.db)).toStrictEqual({ sent: MAILS, cancelled: TAKEN });
  },
  LIMIT_MS,
);

test.each(rounds)(
  `the same on a machine without the receipts: open mails are unknown, none is doubled (${form.seed}, %d)`,
  async () => {
    const begun = performance.now();
    const scene = await untilLost(kill);
    const { sink, folder, file } = scene;
    const machine = { env: { ...scene.machine.env, DATA_DIR: join(folder, 'new') } };
    await run(machine, 0, 'restore', file);
    const workers = await startWorkers(machine);
    const atRest = sink.mails.length;
    await sleep(REST_MS);
    await run(machine, 0, 'receipts', 'merge');
    expect(await run(machine, 1, 'receipts', 'resume')).toContain('--without-receipts');
    await run(machine, 0, 'receipts', 'resume', '--without-receipts');
    await expectStill(scene);
    const verdict = await verdictOf(scene, begun);
    await sleep(REST_MS);
    expect(sink.mails.length).toBe(atRest);
    for (const worker of workers) expect(await stop(worker), worker.output()).toBe(0);
    expect(verdict).toMatchObject({ wrong: [], lost: 0, duplicates: 0 });
    expect(verdict.sent + verdict.unknown).toBe(MAILS + TAKEN);
    expect(verdict.unknown).toBeGreaterThan(0);
  },
  LIMIT_MS,
);

/** The number of mails, half of which are unknown when the database is lost. */
const FEW = 2 * CONNECTIONS;

test('a worker killed after the backup, between accepting a mail and its 250: unknown mails are not sent again', async () => {
  const lost: TestDatabase = await createTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-restore-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const sink = await testSink();
  const before = { DATABASE_URL: lost.url, DATA_DIR: join(folder, 'data'), SMTP_URL: `smtp://127.0.0.1:${sink.port}` };
  await acceptMails(lost, FEW);
  const file = join(folder, 'backup');
  await run({ env: before }, 0, 'backup', file);
  sink.fault = (moment) => (moment === 'dot' ? 'wait' : null);
  const env = { ...before, WORKER_CONNECTIONS: String(CONNECTIONS) };
  const victim = startProgram(['worker'], env);
  onTestFinished(() => kill(victim));
  await eventually(
    () => sink.waiting.length,
    (mails) => mails >= CONNECTIONS,
    60_000,
  );
  await kill(victim);
  sink.fault = () => null;
  const next = startProgram(['worker'], env);
  onTestFinished(() => kill(next));
  expect(await untilSettled(lost.db, 60_000)).toStrictEqual({ unknown: CONNECTIONS, sent: FEW - CONNECTIONS });
  expect(await stop(next), next.output()).toBe(0);
  const arrived = sink.mails.length;
  expect(arrived).toBe(FEW);
  await lost.drop();

  const target = await makeInstallation();
  onTestFinished(target.drop);
  const owner = openDatabase(target.adminUrl);
  onTestFinished(() => owner.close());
  const machine = { env: { ...before, DATABASE_URL: target.url, DATABASE_ROLE_PREFIX: target.prefix } };
  await run(machine, 0, 'restore', file);
  const workers = await startWorkers(machine);
  expect(await run(machine, 1, 'receipts', 'resume')).toContain('先に receipts merge');
  expect(await run(machine, 0, 'receipts', 'merge')).toContain(`「不明」に直したメール: ${CONNECTIONS}通`);
  await run(machine, 0, 'receipts', 'resume');
  await untilSettledByRetries(owner, 60_000);
  await sleep(CLAIMS_AFTER_MS);
  for (const worker of workers) expect(await stop(worker), worker.output()).toBe(0);
  expect(sink.mails.length).toBe(arrived);
  expect(await countStates(owner.db)).toStrictEqual({ unknown: CONNECTIONS, sent: FEW - CONNECTIONS });
}, 240_000);
