import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { emailOf } from '#test/accounts.ts';
import { emptyDatabase, type TestDatabase, testDatabase } from '#test/db.ts';
import { switchOffNoticeMails } from '#test/notices.ts';
import { type Program, startProgram } from '#test/program.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, countStates, eventually, testSink, unbalancedRuns, untilSettled } from '#test/sending.ts';
import { form } from './form.ts';
import { report } from './report.ts';
import { dataDirOf, kill, startWorker, untilStarted } from './workers.ts';

const HOST = 'acme.kaitaku.example.jp';
/** What the command prints before each of its steps. */
const STEPS = ['1/4', '2/4', '3/4', '4/4'] as const;
/** Each while or after a step is announced; those of the last step come last, as the move is decided then. */
const random = form.random();
const KILLS = form.isLong
  ? Array.from({ length: 20 }, (_, n) => ({
      at: STEPS[n < 15 ? n % 3 : 3] ?? STEPS[0],
      afterMs: n % 2 === 0 ? 0 : Math.floor(random() * 300),
    }))
  : [{ at: STEPS[2], afterMs: 0 }];
const MAILS = form.isLong ? 1000 : 60;

interface Cells {
  readonly home: TestDatabase;
  readonly target: TestDatabase;
  readonly tenant: Tenant;
  readonly email: string;
}

const settingsOf = ({ home }: Cells, smtpPort: number) => ({
  DATABASE_URL: home.url,
  DATA_DIR: dataDirOf(home.url),
  PUBLIC_URL: 'https://kaitaku.example.jp',
  SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
});

function start(cells: Cells, port: number, ...args: string[]): Program {
  const program = startProgram(['account', ...args, '--email', cells.email], settingsOf(cells, port));
  onTestFinished(() => kill(program));
  return program;
}

const move = (cells: Cells, port: number) =>
  start(cells, port, 'move', '--to', cells.target.url, '--without-late-mail');

/** Where the account goes on: at most one of the two. */
async function thawedIn({ home, target, tenant }: Cells): Promise<string[]> {
  const isThawed = async ({ db }: TestDatabase) =>
    (await db.selectFrom('account').select('frozen_at').where('id', '=', tenant.accountId).executeTakeFirst())
      ?.frozen_at === null;
  // The home first: it is given up before the copy goes on.
  return [(await isThawed(home)) ? 'home' : '', (await isThawed(target)) ? 'target' : ''].filter(Boolean);
}

const messageIds = async ({ db }: TestDatabase, tenant: Tenant) =>
  (await db.selectFrom('delivery').select('message_id').where('account_id', '=', tenant.accountId).execute()).map(
    ({ message_id }) => message_id,
  );

test(
  `an account moves in the middle of a run of ${MAILS} mails, ${KILLS.length} moves killed: each mail arrives once (seed ${form.seed})`,
  async () => {
    const begun = performance.now();
    const [home, target] = [await emptyDatabase(), await testDatabase()];
    await target.db.updateTable('installation').set({ cell: 3 }).execute();
    const tenant = await addTenant(home.db);
    await switchOffNoticeMails(home.db, tenant);
    await home.db
      .insertInto('account_host')
      .values({ account_id: tenant.accountId, host: HOST, is_current: true })
      .execute();
    const cells = { home, target, tenant, email: await emailOf(home.db, tenant.accountId) };
    const sink = await testSink();
    // Slow enough that some wait still when the account has moved.
    sink.latencyMs = form.isLong ? 200 : 500;
    await untilStarted(startWorker(home.url, sink.port, 2), startWorker(target.url, sink.port, 2));
    await acceptRun(home, tenant, MAILS);
    await eventually(
      () => sink.mails.length,
      (count) => count > MAILS / 20,
    );

    let [kills, thaws] = [0, 0];
    for (const { at, afterMs } of KILLS) {
      const killed = move(cells, sink.port);
      await Promise.race([killed.until(at), killed.ended]);
      await sleep(afterMs);
      await kill(killed);
      kills += 1;
      expect((await thawedIn(cells)).length).toBeLessThanOrEqual(1);
      // A person brings it back: before the decision this is free, afterwards it is refused.
      const back = start(cells, sink.port, 'thaw');
      const code = await back.ended;
      const [place = 'nowhere'] = await thawedIn(cells);
      expect([place, code, back.output()]).toStrictEqual(
        place === 'home' ? [place, expect.any(Number), expect.any(String)] : [place, 1, expect.any(String)],
      );
      if (code === 0) thaws += 1;
      if (place === 'target') break;
    }
    const moved = move(cells, sink.port);
    expect([await moved.ended, moved.output()]).toStrictEqual([0, expect.stringContaining(`${HOST} cell3`)]);
    expect(await thawedIn(cells)).toStrictEqual(['target']);
    sink.latencyMs = 5;
    await untilSettled(target.db, 120_000);

    const times = new Map<string, number>();
    for (const { messageId } of sink.mails) times.set(messageId, (times.get(messageId) ?? 0) + 1);
    const asked = await messageIds(target, tenant);
    expect(asked.filter((id) => times.get(id) !== 1)).toStrictEqual([]);
    expect([times.size, asked.length]).toStrictEqual([MAILS, MAILS]);
    expect(await unbalancedRuns(target.db)).toStrictEqual([]);
    const [before, after] = [await countStates(home.db), await countStates(target.db)];
    expect(after).toStrictEqual({ sent: MAILS });
    // Both cells have sent some of them.
    expect(before.sent).toBeGreaterThan(0);
    expect(before.sent).toBeLessThan(MAILS);
    const seconds = (performance.now() - begun) / 1000;
    const sent = MAILS;
    const none = { unknown: 0, unknownArrived: 0, lost: 0, duplicates: 0, recovery: null };
    report({ run: `account moves, ${thaws} thawed`, mails: MAILS, faults: kills, seconds, sent, ...none });
  },
  120_000 + KILLS.length * 30_000,
);
