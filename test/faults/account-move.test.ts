import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { emailOf } from '#test/accounts.ts';
import { emptyDatabase, type TestDatabase, testDatabase } from '#test/db.ts';
import { ImapServer } from '#test/imap-server.ts';
import { dsnMail, postfixGroup, RETURN_PATTERN } from '#test/inbox-mails.ts';
import { switchOffNoticeMails } from '#test/notices.ts';
import { type Program, startProgram } from '#test/program.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, countStates, eventually, testSink, unbalancedRuns, untilSettled } from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';
import { form } from './form.ts';
import { report } from './report.ts';
import { dataDirOf, kill, startWeb, startWorker, untilStarted } from './workers.ts';

const HOST = 'acme.kaitaku.example.jp';
/** The pattern of return addresses at the new home's mailbox. */
const RETURN_THERE = 'b-{key}@bounce.cell3.example';
/** The output of the command before each of its steps, and how long after it a kill may come. */
const STEPS = [
  { at: '1/4', withinMs: 300 },
  { at: '2/4', withinMs: 100 },
  { at: '3/4', withinMs: 5 },
  { at: '4/4', withinMs: 20 },
] as const;
const random = form.random();
/** In order: the third step decides the move, and after it only the last is left. */
const KILLS = form.isLong ? Array.from({ length: 20 }, (_, n) => STEPS[Math.floor(n / 5)] ?? STEPS[3]) : [STEPS[2]];
const MAILS = form.isLong ? 1000 : 60;

interface Cells {
  readonly home: TestDatabase;
  readonly target: TestDatabase;
  readonly tenant: Tenant;
  readonly email: string;
  readonly sink: SmtpSink;
  /** The home's mailbox. */
  readonly inbox: ImapServer;
  /** The home's `web`. */
  readonly url: string;
}

const settingsOf = ({ home, sink }: Pick<Cells, 'home' | 'sink'>) => ({
  DATABASE_URL: home.url,
  DATA_DIR: dataDirOf(home.url),
  PUBLIC_URL: 'https://kaitaku.example.jp',
  SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
  RETURN_ADDRESS: RETURN_PATTERN,
});

function start(cells: Cells, ...args: string[]): Program {
  const program = startProgram(['account', ...args, '--email', cells.email], settingsOf(cells));
  onTestFinished(() => kill(program));
  return program;
}

const move = (cells: Cells) => start(cells, 'move', '--to', cells.target.url, '--return-address', RETURN_THERE);

/** Returns where the account is thawed: in at most one of the two cells. */
async function thawedIn({ home, target, tenant }: Cells): Promise<string[]> {
  const isThawed = async ({ db }: TestDatabase) =>
    (await db.selectFrom('account').select('frozen_at').where('id', '=', tenant.accountId).executeTakeFirst())
      ?.frozen_at === null;
  // The home first: it is given up before the copy is thawed.
  return [(await isThawed(home)) ? 'home' : '', (await isThawed(target)) ? 'target' : ''].filter(Boolean);
}

const messageIds = async ({ db }: TestDatabase, tenant: Tenant) =>
  (await db.selectFrom('delivery').select('message_id').where('account_id', '=', tenant.accountId).execute()).map(
    ({ message_id }) => message_id,
  );

async function startCells(): Promise<Cells> {
  const [home, target] = [await emptyDatabase(), await testDatabase()];
  await target.db.updateTable('installation').set({ cell: 3 }).execute();
  const tenant = await addTenant(home.db);
  const { accountId } = tenant;
  await switchOffNoticeMails(home.db, tenant);
  await home.db.insertInto('account_host').values({ account_id: accountId, host: HOST, is_current: true }).execute();
  const sink = await testSink();
  // Slow enough that some mails still wait when the account has moved.
  sink.latencyMs = form.isLong ? 200 : 500;
  const inbox = await new ImapServer().start();
  const reading = {
    RETURN_ADDRESS: RETURN_PATTERN,
    INBOX_URL: `imap://in@127.0.0.1:${inbox.settings().port}/INBOX`,
    INBOX_PASSWORD: 'x',
  };
  const { url } = await startWeb(home.url, sink.port, home, accountId);
  await untilStarted(startWorker(home.url, sink.port, 2, reading), startWorker(target.url, sink.port, 2));
  return { home, target, tenant, email: await emailOf(home.db, accountId), sink, inbox, url };
}

/** Mails of the home that bounced, and those whose recipients opted out. */
interface Arrived {
  readonly bounced: string[];
  readonly refused: string[];
}

/** Returns a sent mail of the home that has not bounced and was not opted out of. */
const nextSent = async ({ home }: Cells, { bounced, refused }: Arrived) => {
  const { mail_key, mail_to } = await home.db
    .selectFrom('delivery')
    .select(['mail_key', 'mail_to'])
    .where('state', '=', 'sent')
    .where('mail_to', 'not in', ['', ...bounced, ...refused])
    .orderBy('id')
    .executeTakeFirstOrThrow();
  return { key: mail_key.replaceAll('-', ''), to: mail_to ?? '' };
};

const bounceOf = ({ key, to }: Awaited<ReturnType<typeof nextSent>>) =>
  dsnMail({ key, id: key, groups: [postfixGroup(to, '5.1.1', 'smtp; 550 5.1.1 Unknown')] });

const heldAt = async ({ home }: Cells) =>
  (await home.db.selectFrom('held_arrival').select('kind').execute()).map(({ kind }) => kind).toSorted();

/** Delivers a bounce to the home's mailbox, and opts out there, while the account is frozen. */
async function arrive(cells: Cells, arrived: Arrived): Promise<void> {
  const before = (await heldAt(cells)).length;
  const refusal = await nextSent(cells, arrived);
  arrived.refused.push(refusal.to);
  // First: while the new home is unreachable, it delays forwarding the mail behind it.
  expect((await fetch(`${cells.url}/u/${refusal.key}`, { method: 'POST' })).status).toBe(200);
  const back = await nextSent(cells, arrived);
  arrived.bounced.push(back.to);
  cells.inbox.add(arrived.bounced.length, bounceOf(back));
  await eventually(
    () => heldAt(cells),
    ({ length }) => length === before + 2,
  );
}

/** Kills moves. Then an operator brings the account back: permitted before the decision, refused after it. */
async function killMoves(cells: Cells, arrived: Arrived) {
  let [kills, thaws, isDecided] = [0, 0, false];
  for (const step of KILLS) {
    const { at, withinMs } = isDecided ? STEPS[3] : step;
    const killed = move(cells);
    await Promise.race([killed.until(at), killed.ended]);
    await sleep(Math.floor(random() * withinMs));
    await kill(killed);
    kills += 1;
    const places = await thawedIn(cells);
    expect(places.length).toBeLessThanOrEqual(1);
    if (places.length === 0) await arrive(cells, arrived);
    const back = start(cells, 'thaw');
    const code = await back.ended;
    const [place = 'nowhere'] = await thawedIn(cells);
    expect([place, code, back.output()]).toStrictEqual(
      place === 'home' ? [place, expect.any(Number), expect.any(String)] : [place, 1, expect.any(String)],
    );
    if (code === 0) thaws += 1;
    isDecided = place !== 'home';
    if (place === 'target') break;
  }
  return { kills, thaws };
}

/**
 * A bounce after the move is forwarded to the new home's mailbox, which processes it. So are earlier ones that a
 * worker of the home forwarded before a move.
 */
async function arriveLate(cells: Cells, arrived: Arrived): Promise<void> {
  const { home, target, sink, inbox } = cells;
  const late = await nextSent(cells, arrived);
  arrived.bounced.push(late.to);
  inbox.add(arrived.bounced.length, bounceOf(late));
  const passedOn = () => sink.mails.filter(({ from }) => from === '');
  const addressOfLate = RETURN_THERE.replace('{key}', late.key);
  await eventually(passedOn, (mails) => mails.some(({ to }) => to[0] === addressOfLate), 60_000);
  for (const { to, source } of passedOn()) {
    const taking = startProgram(['inbox', 'take'], {
      ...settingsOf({ home, sink }),
      DATABASE_URL: target.url,
      RETURN_ADDRESS: RETURN_THERE,
      ORIGINAL_RECIPIENT: to[0] ?? '',
      SENDER: '',
    });
    taking.child.stdin?.end(source);
    expect([await taking.ended, taking.output()]).toStrictEqual([0, 'bounce\n']);
  }
}

const failedIn = async ({ db }: TestDatabase) =>
  (await db.selectFrom('delivery').select('mail_to').where('state', '=', 'failed').execute()).map(
    ({ mail_to }) => mail_to ?? '',
  );

test(
  `an account moves during a run of ${MAILS} mails, up to ${KILLS.length} moves killed: each mail arrives once (seed ${form.seed})`,
  async () => {
    const begun = performance.now();
    const cells = await startCells();
    const { home, target, tenant, sink } = cells;
    await acceptRun(home, tenant, MAILS);
    await eventually(
      () => sink.mails.length,
      (count) => count > MAILS / 20,
    );

    const arrived: Arrived = { bounced: [], refused: [] };
    const { kills, thaws } = await killMoves(cells, arrived);
    if (!(await thawedIn(cells)).includes('target')) {
      // Refused if the move is decided already; the account is frozen then too.
      await start(cells, 'freeze').ended;
      await arrive(cells, arrived);
    }
    const moved = move(cells);
    expect([await moved.ended, moved.output()]).toStrictEqual([0, expect.stringContaining(`${HOST} cell3`)]);
    expect(await thawedIn(cells)).toStrictEqual(['target']);
    expect(await heldAt(cells)).toStrictEqual([]);
    const { sent = 0 } = await countStates(home.db);
    sink.latencyMs = 5;
    await arriveLate(cells, arrived);
    await untilSettled(target.db, 120_000);

    const times = new Map<string, number>();
    // Forwarded mails are not mails of the run.
    for (const { messageId } of sink.mails.filter(({ from }) => from !== ''))
      times.set(messageId, (times.get(messageId) ?? 0) + 1);
    const asked = await messageIds(target, tenant);
    expect(asked.filter((id) => times.get(id) !== 1)).toStrictEqual([]);
    expect([times.size, asked.length]).toStrictEqual([MAILS, MAILS]);
    expect(await unbalancedRuns(target.db)).toStrictEqual([]);
    expect(await countStates(target.db)).toStrictEqual({
      sent: MAILS - arrived.bounced.length,
      failed: arrived.bounced.length,
    });
    expect((await failedIn(target)).toSorted()).toStrictEqual(arrived.bounced.toSorted());
    const suppressed = await target.db
      .selectFrom('suppression')
      .select('value')
      .where('class', '=', 'refused')
      .execute();
    expect(suppressed.map(({ value }) => value).toSorted()).toStrictEqual(arrived.refused.toSorted());
    // Both cells have sent some of the mails.
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(MAILS);
    const seconds = (performance.now() - begun) / 1000;
    const none = { unknown: 0, unknownArrived: 0, lost: 0, duplicates: 0, recovery: null };
    const run = `account moves, ${thaws} thawed, ${arrived.bounced.length} bounces, ${arrived.refused.length} refusals`;
    report({ run, mails: MAILS, faults: kills, seconds, sent: MAILS, ...none });
  },
  120_000 + KILLS.length * 30_000,
);
