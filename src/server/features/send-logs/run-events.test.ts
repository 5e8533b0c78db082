import { get } from 'node:http';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Run } from '#contract/sending/runs.ts';
import { MAX_MEMBER_STREAMS, SESSION_IDLE_MS } from '#domain/limits.ts';
import { addMember, openSessionOf } from '#test/accounts.ts';
import { type Api, clientAt, serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, eventually, testSink, testWorker, untilBlocked } from '#test/sending.ts';
import { sentRun } from '#test/sent-run.ts';
import { closeSession, openSession } from '../auth/session.ts';

let database: TestDatabase;
let tenant: Tenant;
let api: Api;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  api = await serveApp(database, Date.now, { proxies: { ranges: ['127.0.0.1'], header: 'x-forwarded-for' } });
});

const tokenOf = ({ accountId }: Tenant, at = Date.now()) => openSessionOf(database.login, accountId, at);

/** Opens a stream. `runs` grows with each event; `ended` resolves when the server ends the answer. */
async function listen(token: string, ip = '127.0.0.1') {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const response = await fetch(`${api.address}/send_log/events`, {
    headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': ip },
    signal: leaving.signal,
  });
  const runs: Run[] = [];
  let beats = 0;
  const read = async () => {
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const [, data] = /^event: run\ndata: (.*)$/.exec(event) ?? [];
        if (data === undefined) beats += 1;
        else runs.push(JSON.parse(data) as Run);
      }
    }
    return true;
  };
  const ended = response.ok ? read().catch(() => false) : Promise.resolve(false);
  return { response, runs, beats: () => beats, ended, leave: () => leaving.abort() };
}

describe('GET /send_log/events', () => {
  test('sends the open runs at once, and then each change until the end', async () => {
    const sink = await testSink();
    sink.latencyMs = 100;
    const { id } = await acceptRun(database, tenant, 20);
    const { response, runs } = await listen(await tokenOf(tenant));
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    await eventually(
      () => runs.length,
      (count) => count === 1,
    );
    expect(runs[0]).toMatchObject({ id, queued: 20, finished: false });
    testWorker(database, sink, { connections: 1 });
    const last = await eventually(
      () => runs.at(-1),
      (run) => run?.finished === true,
    );
    expect(last).toMatchObject({ sent: 20 });
    expect(runs.length).toBeGreaterThan(2);
    expect(new Set(runs.map((run) => JSON.stringify(run))).size).toBe(runs.length);
  });

  test('sends a run that begins and ends while it listens, however short, and no older one', async () => {
    const sink = await testSink();
    testWorker(database, sink);
    const old = await acceptRun(database, tenant, 1);
    await eventually(
      () => sink.mails.length,
      (count) => count === 1,
    );
    await eventually(
      () => database.db.selectFrom('delivery').select('state').executeTakeFirstOrThrow(),
      ({ state }) => state === 'sent',
    );
    const { runs } = await listen(await tokenOf(tenant));
    const { id } = await acceptRun(database, tenant, 1);
    await eventually(
      () => runs.at(-1),
      (run) => run?.finished === true,
    );
    expect(new Set(runs.map((run) => run.id))).toStrictEqual(new Set([id]));
    expect(id).not.toBe(old.id);
  });

  test('sends the first run of an account, also when it has ended before a poll has seen it open', async () => {
    const { runs } = await listen(await tokenOf(tenant));
    const { id } = await sentRun(database, tenant, 1, { days: 0 });
    expect(await eventually(() => runs.at(-1), Boolean)).toMatchObject({ id, sent: 1, finished: true });
  });

  test('sends to every stream of the account, and to no other account', async () => {
    const other = await addTenant(database.db);
    const [one, two, stranger] = await Promise.all([
      listen(await tokenOf(tenant)),
      listen(await tokenOf(tenant)),
      listen(await tokenOf(other)),
    ]);
    const { id } = await acceptRun(database, tenant, 1);
    for (const { runs } of [one, two]) expect(await eventually(() => runs[0], Boolean)).toMatchObject({ id });
    const late = await listen(await tokenOf(tenant));
    expect(await eventually(() => late.runs[0], Boolean)).toMatchObject({ id });
    await acceptRun(database, other, 1);
    await eventually(
      () => stranger.runs.length,
      (count) => count > 0,
    );
    expect(stranger.runs.some((run) => run.id === id)).toBe(false);
  });

  test('limits the open streams of a member; a closed one makes room', async () => {
    const token = await tokenOf(tenant);
    const open = await Promise.all(Array.from({ length: MAX_MEMBER_STREAMS }, () => listen(token)));
    const refused = await listen(token);
    expect(refused.response.status).toBe(429);
    expect(refused.response.headers.get('retry-after')).toBe('30');
    expect(await refused.response.json()).toMatchObject({ code: 'too_many_streams' });
    const other = await listen(await tokenOf(await addTenant(database.db)));
    expect(other.response.status).toBe(200);
    const memberId = await addMember(database.db, tenant.accountId);
    const colleague = await openSession(database.login, { accountId: tenant.accountId, memberId }, Date.now());
    expect((await listen(colleague)).response.status).toBe(200);
    open[0]?.leave();
    await eventually(
      async () => (await listen(token)).response.status,
      (status) => status === 200,
    );
  });

  test('sends nothing to a session that has ended, even before the next heartbeat', async () => {
    const token = await tokenOf(tenant);
    const { runs, ended } = await listen(token);
    await closeSession(database.db, token);
    await acceptRun(database, tenant, 1);
    expect(await ended).toBe(true);
    expect(runs).toStrictEqual([]);
  });

  test('sends nothing to a member who was stopped, and goes on for a colleague', async () => {
    const memberId = await addMember(database.db, tenant.accountId);
    const token = await openSession(database.login, { accountId: tenant.accountId, memberId }, Date.now());
    const [stopped, other] = [await listen(token), await listen(await tokenOf(tenant))];
    await database.db.updateTable('member').set({ active: false }).where('id', '=', memberId).execute();
    const { id } = await acceptRun(database, tenant, 1);
    expect(await stopped.ended).toBe(true);
    expect(stopped.runs).toStrictEqual([]);
    expect(await eventually(() => other.runs[0], Boolean)).toMatchObject({ id });
  });

  test('sends nothing to an address outside of the networks, and goes on inside with the same session', async () => {
    const token = await tokenOf(tenant);
    const [outside, inside] = [await listen(token, '198.51.100.9'), await listen(token, '203.0.113.7')];
    await database.pool.query(`INSERT INTO account_rule (account_id, login_networks) VALUES ($1, '{203.0.113.0/24}')`, [
      tenant.accountId,
    ]);
    const { id } = await acceptRun(database, tenant, 1);
    expect(await outside.ended).toBe(true);
    expect(outside.runs).toStrictEqual([]);
    expect(await eventually(() => inside.runs[0], Boolean)).toMatchObject({ id });
    expect((await listen(token, '198.51.100.9')).response.status).toBe(403);
  });

  test('sends nothing to a member who must set up a second step first', async () => {
    const { runs, ended } = await listen(await tokenOf(tenant));
    const { accountId: account_id } = tenant;
    await database.db.insertInto('account_rule').values({ account_id, two_factor_required: true }).execute();
    await acceptRun(database, tenant, 1);
    expect(await ended).toBe(true);
    expect(runs).toStrictEqual([]);
  });

  test('a database fault ends the stream, and the next request gets the error as its answer', async () => {
    const { ended } = await listen(await tokenOf(tenant));
    await database.pool.query('REVOKE SELECT ON send_log FROM kaitaku_api');
    onTestFinished(async () => void (await database.pool.query('GRANT SELECT ON send_log TO kaitaku_api')));
    expect(await ended).toBe(false);
    const token = await tokenOf(tenant);
    for (let opened = 0; opened <= MAX_MEMBER_STREAMS; opened += 1)
      expect((await listen(token)).response.status).toBe(500);
  });

  test('a stream that waits for a connection waits by itself: whoever opened one before may leave', async () => {
    api = await serveApp(database, Date.now, { accountLimits: { connections: 1 } });
    const token = await tokenOf(tenant);
    const unlock = await lockClosingDays();
    const list = fetch(`${api.address}/closing_day/list`, { headers: { authorization: `Bearer ${token}` } });
    await untilBlocked(database);
    const first = openFirst(token);
    await untilOpen(1);
    const second = listen(token);
    await untilOpen(2);
    first.leave();
    await untilOpen(1);
    await unlock();
    expect((await list).status).toBe(200);
    expect((await second).response.status).toBe(200);
  });

  test('a stream goes on when whoever opened the first one has left while a poll waited', async () => {
    api = await serveApp(database, Date.now, { accountLimits: { connections: 1 } });
    const token = await tokenOf(tenant);
    const first = openFirst(token);
    await first.opened;
    const second = await listen(token);
    const unlock = await lockClosingDays();
    const list = fetch(`${api.address}/closing_day/list`, { headers: { authorization: `Bearer ${token}` } });
    await untilBlocked(database);
    first.leave();
    await untilOpen(1);
    // A poll comes each second, and waits.
    await new Promise((wait) => setTimeout(wait, 1500));
    await unlock();
    expect((await list).status).toBe(200);
    const { id } = await acceptRun(database, tenant, 1);
    expect(await eventually(() => second.runs[0], Boolean)).toMatchObject({ id });
  });

  /** Opens a stream on a connection that ends with it. */
  function openFirst(token: string) {
    const request = get(`${api.address}/send_log/events`, {
      agent: false,
      headers: { authorization: `Bearer ${token}` },
    });
    const opened = new Promise((resolve) => request.once('response', resolve).once('error', resolve));
    return { opened, leave: () => void request.destroy() };
  }

  /** Waits until so many clients of the streams are connected. */
  const untilOpen = (streams: number) =>
    eventually(
      () => new Promise<number>((resolve) => api.app.server.getConnections((_, count) => resolve(count ?? 0))),
      // That of the list is one more.
      (connections) => connections === streams + 1,
    );

  /** Locks the closing days, so that a list of them keeps its connection. @returns a function that unlocks them */
  async function lockClosingDays(): Promise<() => Promise<void>> {
    const client = await database.pool.connect();
    let isLocked = true;
    const unlock = async () => {
      if (!isLocked) return;
      isLocked = false;
      await client.query('COMMIT');
      client.release();
    };
    onTestFinished(unlock);
    await client.query('BEGIN; LOCK TABLE closing_day');
    return unlock;
  }

  test('needs a session', async () => {
    expect((await listen('A'.repeat(43))).response.status).toBe(401);
  });

  test('the program can stop while a stream is open', async () => {
    const { ended } = await listen(await tokenOf(tenant));
    await api.app.close();
    expect(await ended).toBe(true);
  });
});

describe('the heartbeat', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  const beatOnce = () => vi.advanceTimersByTimeAsync(15_000);
  const realTimersAfter = () => onTestFinished(() => void vi.useRealTimers());

  test('is sent every 15 seconds without events, and does not extend the session', async () => {
    realTimersAfter();
    const token = await tokenOf(tenant, Date.now() - 3_600_000);
    const { beats } = await listen(token);
    await database.db
      .updateTable('session')
      .set({ last_used_at: new Date(Date.now() - 3_600_000) })
      .execute();
    const before = beats();
    await beatOnce();
    await eventually(beats, (count) => count > before);
    const { last_used_at } = await database.db.selectFrom('session').select('last_used_at').executeTakeFirstOrThrow();
    expect(Date.now() - last_used_at.getTime()).toBeGreaterThan(3_500_000);
  });

  test.each<[string, (token: string) => Promise<unknown>]>([
    ['logging out', (token) => clientAt(api.address, `Bearer ${token}`).post('/auth/logout', {})],
    ['another process closing the session', (token) => closeSession(database.db, token)],
    [
      'the session growing old',
      () =>
        database.db
          .updateTable('session')
          .set({ last_used_at: new Date(Date.now() - SESSION_IDLE_MS - 1000) })
          .execute(),
    ],
  ])('ends the answer after %s', async (_, end) => {
    realTimersAfter();
    const token = await tokenOf(tenant);
    const { ended } = await listen(token);
    await end(token);
    await beatOnce();
    expect(await ended).toBe(true);
  });
});
