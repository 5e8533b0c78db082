import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { countAllDenied, restoreFromReceipts } from '#server/features/delivery/guard/merge-receipts.command.ts';
import { recordServer } from '#server/features/delivery/pauses/installation.queries.ts';
import { clearRewound } from '#server/features/delivery/pauses/rewound.queries.ts';
import { acceptSend } from '#server/features/runs/accept.command.ts';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { type Db, openDatabase } from '#server/platform/database/db.ts';
import { acceptMails } from '#test/mails.ts';
import { switchOffNoticeMails } from '#test/notices.ts';
import { openAs } from '#test/open-as.ts';
import { startProgram } from '#test/program.ts';
import { addManyProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { countStates, eventually, testSink, untilSettled } from '#test/sending.ts';
import { startSinkProcess } from '#test/sink-process.ts';
import { TEST_MAILING } from '../mailing.ts';
import { form } from './form.ts';
import { report } from './report.ts';
import { startReplicatedPostgres } from './standby.ts';
import { judge } from './truth.ts';
import { dataDirOf, kill, startWorker, stop, untilSettledByRetries, untilStarted } from './workers.ts';

const random = form.random();
const FAIL_OVERS = form.isLong ? 10 : 1;
const MAILS = Math.floor(form.mails / FAIL_OVERS);
const WORKERS = 2;
/** The maximum extra time for which the primary runs alone: its outcomes grow old, and their receipts are merged. */
const ALONE_MS = form.isLong ? 5000 : 0;
/** The limit in ms: workers compare their receipts each minute. */
const NOTICED_MS = 120_000;
/** The number of mails that one worker sends in parallel. */
const UNDER_WAY = 4;
/** The time in ms within which a worker would claim mails, if claims were permitted. */
const REST_MS = 2000;

/** Creates a primary with its standby, and helpers for both. */
async function scene() {
  const postgres = await startReplicatedPostgres();
  const owner = openDatabase(postgres.url);
  const [api, service] = [openAs('api', postgres.url), openAs('service', postgres.url)];
  onTestFinished(async () => {
    for (const opened of [owner, api, service]) await opened.close();
  });
  const { db } = owner;
  const receipts = join(dataDirOf(postgres.url), 'receipts');
  return {
    postgres,
    pools: { db, account: accountDbOf(api.db), service: service.db },
    startWorker: ({ port }: { readonly port: number }) => startWorker(postgres.url, port),
    /** Waits until a worker detects that the database lacks sent mails. */
    untilRewound: () =>
      eventually(
        () => rewoundAt(db),
        (at) => at !== null,
        NOTICED_MS,
      ),
    kaitaku: (...args: string[]) => kaitaku(postgres.url, args),
    /** Waits until the workers have this many receipts on disk. */
    untilReceipts: (count: number) =>
      eventually(
        () => countLines(receipts),
        (lines) => lines >= count,
      ),
    /** Does what `receipts merge` and `receipts resume` do. */
    mergeAndResume: async () => {
      await restoreFromReceipts(service.db, receipts, onUnreadable);
      expect(await countAllDenied(service.db, receipts, onUnreadable)).toBe(0);
      expect(await clearRewound(service.db)).toBe(true);
    },
  };
}

/** Counts the lines of all files in a folder and its subfolders; 0 if it does not exist. */
function countLines(folder: string): number {
  if (!existsSync(folder)) return 0;
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
  return texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0);
}

const onUnreadable = (error: unknown) => expect.unreachable(String(error));

async function sinkProcess() {
  const sink = await startSinkProcess(form.latency);
  onTestFinished(() => sink.stop());
  return {
    ...sink,
    untilCount: (mails: number) =>
      eventually(
        () => sink.count(),
        (count) => count >= mails,
        60_000,
      ),
    addresses: () => sink.mails().flatMap(({ to }) => to),
  };
}

async function rewoundAt(db: Db): Promise<Date | null> {
  return (await db.selectFrom('installation').select('rewound_at').executeTakeFirstOrThrow()).rewound_at;
}

/** Runs a command on the machine of the workers. */
async function kaitaku(databaseUrl: string, args: string[]): Promise<string> {
  const program = startProgram(args, { DATABASE_URL: databaseUrl, DATA_DIR: dataDirOf(databaseUrl) });
  onTestFinished(() => kill(program));
  expect(await program.ended, program.output()).toBe(0);
  return program.output();
}

/** Waits until no worker holds a mail: those claimed before the pause are still sent. */
const untilNoneHeld = (db: Db) =>
  eventually(
    () => countStates(db),
    ({ claimed = 0, sending = 0 }) => claimed + sending === 0,
    60_000,
  );

const total = { unknownToStandby: 0, sent: 0, unknown: 0, unknownArrived: 0, lost: 0, duplicates: 0, seconds: 0 };
afterAll(() => {
  const { unknownToStandby, ...figures } = total;
  report({
    run: `standby promoted, ${unknownToStandby} mails unknown to it`,
    mails: MAILS * FAIL_OVERS,
    faults: FAIL_OVERS,
    recovery: null,
    ...figures,
  });
});

test.each(Array.from({ length: FAIL_OVERS }, (_, n) => n + 1))(
  `a standby that lacks the last of ${MAILS} mails is promoted: sending pauses, none is doubled or lost (${form.seed}, %d)`,
  async () => {
    const begun = performance.now();
    const { postgres, pools, ...at } = await scene();
    const { db } = pools;
    const sink = await sinkProcess();
    const workers = Array.from({ length: WORKERS }, () => at.startWorker(sink));
    await untilStarted(...workers);
    await acceptMails(pools, MAILS);
    await sink.untilCount(MAILS * (0.1 + 0.3 * random()));
    await postgres.cutReplication();
    const known = sink.count();
    await sink.untilCount(known + MAILS * (0.05 + 0.35 * random()));
    await sleep(random() * ALONE_MS);
    await postgres.failOver();
    const unknownToStandby = sink.count() - known;

    await at.untilRewound();
    await untilNoneHeld(db);
    const atRest = sink.count();
    await at.kaitaku('receipts', 'merge');
    await sleep(REST_MS);
    expect(sink.count()).toBe(atRest);
    expect(await rewoundAt(db)).not.toBeNull();
    await at.kaitaku('receipts', 'resume', '--nothing-taken-back');

    await untilSettledByRetries(pools, 120_000);
    for (const worker of workers) expect(await stop(worker), worker.output()).toBe(0);
    const { wrong, ...verdict } = await judge(
      db,
      sink.mails().map(({ messageId }) => messageId),
    );
    for (const [name, count] of Object.entries(verdict)) total[name as keyof typeof verdict] += count;
    total.unknownToStandby += unknownToStandby;
    total.seconds += (performance.now() - begun) / 1000;
    expect({ wrong, ...verdict }).toMatchObject({ wrong: [], sent: MAILS, unknown: 0, lost: 0, duplicates: 0 });
    expect(new Set(sink.addresses()).size).toBe(MAILS);
    expect(unknownToStandby).toBeGreaterThan(0);
  },
  240_000 + MAILS * 20,
);

/** Accepts a run to all companies of the tenant. @returns the number of its mails, and why the others are left out */
async function acceptAll({ db, account }: Awaited<ReturnType<typeof scene>>['pools'], tenant: Tenant) {
  const attack_list = await db
    .selectFrom('prospect')
    .select('id as prospect_id')
    .where('account_id', '=', tenant.accountId)
    .orderBy('id')
    .execute();
  const body = { test_send_mode: 0 as const, attack_list, days_from_lastday: 7 };
  const request = { senderId: tenant.senderId, body, idempotencyKey: null, ...TEST_MAILING };
  const answer = await acceptSend(account(tenant.accountId, tenant.memberId), request, Date.now());
  if (!('accepted' in answer)) throw new Error(JSON.stringify(answer));
  const reasons = Object.groupBy(answer.skipped, ({ reason }) => reason);
  return {
    accepted: answer.accepted,
    skipped: Object.fromEntries(Object.entries(reasons).map(([reason, of]) => [reason, of.length])),
  };
}

test('a promoted server lacks a run and the mails of another: none is claimed, the addresses count as mailed', async () => {
  const [known, before, after] = [30, 40, 60];
  const { postgres, pools, ...at } = await scene();
  const { db } = pools;
  const sink = await sinkProcess();
  await acceptMails(pools, known);
  const tenant = await addTenant(db);
  await switchOffNoticeMails(db, tenant);
  await addManyProspects(db, tenant.accountId, before);
  await postgres.cutReplication();
  await addManyProspects(db, tenant.accountId, after, before + 1);
  expect(await acceptAll(pools, tenant)).toStrictEqual({ accepted: before + after, skipped: {} });
  const first = at.startWorker(sink);
  await untilSettled(db, 60_000);
  expect(await stop(first), first.output()).toBe(0);
  await postgres.failOver();

  const worker = at.startWorker(sink);
  await at.untilRewound();
  await sleep(REST_MS);
  expect(sink.count()).toBe(known + before + after);
  expect(await countStates(db)).toStrictEqual({ queued: known });
  // Other companies, some of which get the ids of lost ones.
  await addManyProspects(db, tenant.accountId, after, 1001);
  await at.mergeAndResume();
  await addManyProspects(db, tenant.accountId, after, before + 1);
  expect(await acceptAll(pools, tenant)).toStrictEqual({
    accepted: after,
    skipped: { recently_sent: before + after },
  });
  expect(await untilSettled(db, 60_000)).toStrictEqual({ sent: known + after, cancelled: before + after });
  expect(await stop(worker), worker.output()).toBe(0);
  // The known run went to another tenant's companies, with the same addresses as the first ones.
  expect(sink.count()).toBe(known + before + 2 * after);
  expect(new Set(sink.addresses()).size).toBe(before + 2 * after);
});

test('mails whose marks are lost, accepted by the mail server after the promotion, are not sent twice', async () => {
  const { postgres, pools, ...at } = await scene();
  const { db } = pools;
  const sink = await testSink();
  // The workers of all machines wait for each other only after the server has changed.
  await recordServer(pools.service);
  await acceptMails(pools, UNDER_WAY);
  await postgres.cutReplication();
  sink.fault = (moment) => (moment === 'dot' ? 'wait' : null);
  const workers = Array.from({ length: WORKERS }, () => at.startWorker(sink));
  await untilStarted(...workers);
  await eventually(
    () => sink.waiting.length,
    (mails) => mails === UNDER_WAY,
    40_000,
  );
  await postgres.failOver();

  await at.untilRewound();
  sink.fault = () => null;
  for (const answer of sink.waiting) answer();
  await at.untilReceipts(UNDER_WAY);
  await sleep(REST_MS);
  await at.mergeAndResume();
  expect(await countStates(db)).toStrictEqual({ sent: UNDER_WAY });
  for (const worker of workers) expect(await stop(worker), worker.output()).toBe(0);
  expect(sink.mails).toHaveLength(UNDER_WAY);
});
