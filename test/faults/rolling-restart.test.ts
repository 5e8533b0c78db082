import { expect, onTestFinished, test } from 'vitest';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { freePort, type Program, startProgram } from '#test/program.ts';
import { addReservation } from '#test/prospect-history.ts';
import { eventually, testSink, untilSettled } from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';
import { form } from './form.ts';
import { type Ask, addressOf, addUser, balancer, countSend, sendOf, startLoad, type User } from './load.ts';
import { judge } from './truth.ts';
import { dataDirOf, kill } from './workers.ts';

const USERS = 3;
/** Each user sends to one new company at a time: enough for four minutes, the longest time for the restarts. */
const COMPANIES = 1000;
const SEND_EVERY_MS = 250;
const READ_EVERY_MS = form.isLong ? 50 : 200;
/** Slow enough that every worker always has open mails, and others are queued. */
const SMTP_LATENCY_MS = 250;
const CONNECTIONS = 4;

/** Reserved companies of each user; they become due during the restarts. */
const RESERVED = 20;
const RESERVED_IN_MS = 8000;

/** Reserves companies that no other send uses, for a time from now. */
async function reserve({ db }: TestDatabase, user: User) {
  const companies = user.prospectIds.splice(-RESERVED);
  const sendAt = new Date(Date.now() + RESERVED_IN_MS);
  await addReservation(db, user, companies, { sendAt });
  return { user, companies: companies.toSorted((a, b) => a - b), sendAt };
}

/** Reads a reservation's result as its owner does: in the log, mail by mail, and in the list. */
async function readReserved(
  ask: Ask,
  sink: SmtpSink,
  { user, companies, sendAt }: Awaited<ReturnType<typeof reserve>>,
): Promise<void> {
  const read = async <Answer>(path: string): Promise<Answer> => {
    const answer = await ask(path, { headers: { authorization: `Bearer ${user.token}` } });
    expect(answer.status, path).toBe(200);
    return (await answer.json()) as Answer;
  };
  const runs = await read<{ id: number; attack_list: number[]; sent_at: string }[]>(
    `/send_log/list?where_info[sender_group_id]=${user.senderGroupId}`,
  );
  const run = runs.find(({ attack_list }) => attack_list.length === RESERVED);
  expect(run?.attack_list.toSorted((a, b) => a - b)).toStrictEqual(companies);
  const { rows: mails } = await read<{ rows: { prospect_id: number; state: string; mail_to: string }[] }>(
    `/send_log/${run?.id}/deliveries`,
  );
  const states = mails.map(({ prospect_id, state }) => `${prospect_id} ${state}`);
  expect(new Set(states)).toStrictEqual(new Set(companies.map((id) => `${id} sent`)));
  const addresses = new Set(mails.map(({ mail_to }) => mail_to));
  const arrived = sink.mails.filter(({ to }) => to.some((address) => addresses.has(address))).map(({ at }) => at);
  expect(arrived).toHaveLength(RESERVED);
  // Never early: the sink and the database use the same clock.
  expect(Math.min(...arrived)).toBeGreaterThanOrEqual(sendAt.getTime());

  // The last companies of the list, which is sorted by id.
  const { rows } = await read<{ rows: { id: number; sent_at: string | null; send_at: string | null }[] }>(
    `/prospect/view?sender_group_id=${user.senderGroupId}&pagenate_count=${RESERVED}&pagenate_num=${COMPANIES / RESERVED}`,
  );
  expect(rows.map(({ id, send_at }) => [id, send_at])).toStrictEqual(companies.map((id) => [id, null]));
  const dueMinute = formatSecond(sendAt.getTime()).slice(0, 16);
  for (const { sent_at } of rows) expect(sent_at && sent_at >= dueMinute).toBe(true);
}

/** Starts a send on a slow line: writes half of it now, and the rest when called. */
function beginSend(port: number, user: User) {
  const { path, headers, body } = sendOf(user);
  let finish = () => {};
  const asked = new Promise<void>((done) => {
    finish = done;
  });
  async function* halves() {
    yield Buffer.from(body.slice(0, 20));
    await asked;
    yield Buffer.from(body.slice(20));
  }
  const stream = ReadableStream.from(halves());
  return { answer: fetch(addressOf(port, path), { method: 'POST', headers, body: stream, duplex: 'half' }), finish };
}

/** Waits until the port is closed. */
const untilClosed = (port: number) =>
  eventually(
    () =>
      fetch(addressOf(port, '/')).then(
        () => false,
        () => true,
      ),
    (closed) => closed,
  );

test('2 web and 2 workers are restarted in turn while reservations become due: no request fails, each mail is sent once and shown', async () => {
  const database = await emptyDatabase();
  const { db, url } = database;
  const sink = await testSink();
  sink.latencyMs = SMTP_LATENCY_MS;
  const users = await Promise.all(Array.from({ length: USERS }, () => addUser(database, COMPANIES)));
  const reserved = await Promise.all(users.map((user) => reserve(database, user)));

  const env = {
    DATABASE_URL: url,
    DATA_DIR: dataDirOf(url),
    SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    WORKER_CONNECTIONS: String(CONNECTIONS),
  };
  const started = async (program: Program, line: string): Promise<Program> => {
    onTestFinished(() => kill(program));
    await program.until(line);
    return program;
  };
  const startWorker = () => started(startProgram(['worker'], env), 'worker started');
  const startWeb = (port: number) => started(startProgram(['web'], { ...env, PORT: String(port) }), 'web started');
  const ports = [await freePort(), await freePort()];
  const ask = balancer(ports);
  const pairs = await Promise.all(
    ports.map(async (port) => {
      const [web, worker] = await Promise.all([startWeb(port), startWorker()]);
      return { web, worker, port };
    }),
  );

  const { answers, end } = startLoad(users, ask, { readEveryMs: READ_EVERY_MS, sendEveryMs: SEND_EVERY_MS });

  /** Waits until the remaining or the restarted process accepts requests and sends. */
  const untilWorkGoesOn = async () => {
    const [before, arrived] = [answers.accepted, sink.mails.length];
    await eventually(
      () => [answers.accepted - before, sink.mails.length - arrived],
      (more) => more.every((count) => count >= 5),
    );
  };
  const restart = async (old: Program, start: () => Promise<Program>): Promise<Program> => {
    old.child.kill('SIGTERM');
    await untilWorkGoesOn();
    expect(await old.ended).toBe(0);
    const next = await start();
    await untilWorkGoesOn();
    return next;
  };
  const restarted: Program[] = [];
  for (const [index, { web, worker, port }] of pairs.entries()) {
    const slow = beginSend(port, users[index] as User);
    const both = Promise.all([restart(worker, startWorker), restart(web, () => startWeb(port))]);
    await untilClosed(port);
    slow.finish();
    await countSend(answers, await slow.answer);
    restarted.push(...(await both));
  }
  await end();
  expect(answers).toMatchObject({ faults: [], deferred: 0, unserved: 0 });

  sink.latencyMs = 0;
  const isStarted = () => db.selectFrom('reservation').select('is_sent').where('is_sent', '=', false).execute();
  await eventually(isStarted, ({ length }) => length === 0);
  const sent = answers.accepted + USERS * RESERVED;
  expect(await untilSettled(db)).toStrictEqual({ sent });
  const caught = sink.mails.map(({ messageId }) => messageId);
  expect(await judge(db, caught)).toMatchObject({ wrong: [], sent, unknown: 0, lost: 0, duplicates: 0 });
  for (const one of reserved) await readReserved(ask, sink, one);
  for (const { child } of restarted) child.kill('SIGTERM');
  expect(await Promise.all(restarted.map(({ ended }) => ended))).toStrictEqual([0, 0, 0, 0]);
});
