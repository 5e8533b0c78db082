import { get, type IncomingMessage } from 'node:http';
import { sql } from 'kysely';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { API_BASE, type Call } from '#contract/call.ts';
import { changeProspects } from '#contract/companies/companies-bulk.ts';
import { listProspects } from '#contract/companies/prospects.ts';
import { openSessionOf } from '#test/accounts.ts';
import { serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addManyProspects, addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, eventually, untilBlocked } from '#test/sending.ts';
import { accountDbOf } from '../database/account-db.ts';
import { createLog } from '../log.ts';
import { ACCOUNT_LIMITS, type AccountLimits, limitedAccountDb, TooManyAtOnce } from './account-limits.ts';

let database: TestDatabase;
let tenant: Tenant;
let lines: Record<string, unknown>[];

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  lines = [];
});

/** Serves the API. @returns the address of its site */
async function serve(limits: Partial<AccountLimits> = {}): Promise<string> {
  const logger = createLog('warn', { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  const { address } = await serveApp(database, Date.now, { logger, accountLimits: limits });
  return address.slice(0, -API_BASE.length);
}

async function callerOf(site: string, accountId: number) {
  const authorization = `Bearer ${await openSessionOf(database.login, accountId, Date.now())}`;
  return async (method: string, path: string, { body, signal }: { body?: object; signal?: AbortSignal } = {}) => {
    const response = await fetch(site + API_BASE + path, {
      method,
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    const answer = (await response.json()) as { readonly code?: string };
    return { status: response.status, code: answer.code, retryAfter: response.headers.get('retry-after') };
  };
}

const OK = { status: 200, code: undefined, retryAfter: null };
const REFUSED = { status: 429, code: 'too_many_at_once', retryAfter: '5' };
const LIST = '/closing_day/list';
const addDay = (day: string) => ({
  body: { add_info: { first_day: day, last_day: day, name: '休み', working: 0, yearly: 0, sender_group_id: null } },
});

/** Locks a table, so that all who read it wait. @returns a function that unlocks it */
async function lock(table: string): Promise<() => Promise<void>> {
  const client = await database.pool.connect();
  let isLocked = true;
  const unlock = async () => {
    if (isLocked) await client.query('COMMIT');
    if (isLocked) client.release();
    isLocked = false;
  };
  onTestFinished(unlock);
  await client.query(`BEGIN; LOCK TABLE ${table}`);
  return unlock;
}

/** Counts the connections of handlers that wait for a lock. */
async function countBlocked(): Promise<number> {
  const { rows } = await database.pool.query<{ blocked: number }>(`
    SELECT count(*)::integer AS blocked FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`);
  return rows[0]?.blocked ?? 0;
}

describe('a statement ends', () => {
  test('past its time it is 503 too_slow, and the log says whose it was', async () => {
    const site = await serve({ statementMs: 100 });
    const ask = await callerOf(site, tenant.accountId);
    const unlock = await lock('sender_group');
    const slow = { status: 503, code: 'too_slow', retryAfter: '30' };
    expect(await ask('GET', '/sender_group/list')).toStrictEqual(slow);
    expect(await ask('POST', '/sender_group', { body: { add_info: { group_name: '東' } } })).toStrictEqual(slow);
    const of = (call: string) => ({ account: tenant.accountId, call, ms: expect.any(Number) });
    expect(lines).toMatchObject([of(`GET ${API_BASE}/sender_group/list`), of(`POST ${API_BASE}/sender_group`)]);
    expect(Number(lines[0]?.ms)).toBeGreaterThanOrEqual(100);
    await unlock();
    const patient = await callerOf(await serve(), tenant.accountId);
    expect(await patient('GET', '/sender_group/list')).toStrictEqual(OK);
  });

  test('also where nobody is logged in: a refusal that waits for its row', async () => {
    const site = await serve({ statementMs: 100 });
    const key = await keyOfMail();
    await lock('suppression');
    const response = await fetch(`${site}/u/${key}`, { method: 'POST', body: 'List-Unsubscribe=One-Click' });
    expect(response.status).toBe(503);
    expect(lines).toMatchObject([{ account: tenant.accountId, call: 'POST /u/*' }]);
  });

  test('a call that may take longer by design has its own time', async () => {
    const site = await serve({ statementMs: 100 });
    const ask = await callerOf(site, tenant.accountId);
    const ids = await addProspects(database.db, tenant.accountId, [{}]);
    const unlock = await lock('active_prospect');
    const body = { sender_group_id: tenant.senderGroupId, act: 'deactivate', ids };
    const bulk = ask('POST', changeProspects.path, { body });
    expect(await ask('GET', '/active_prospect/list')).toMatchObject({ code: 'too_slow' });
    await unlock();
    expect(await bulk).toStrictEqual(OK);
  });

  test('the limit goes with BEGIN and ends with the transaction; what workers use has none', async () => {
    const limitIn = (account: ReturnType<ReturnType<typeof accountDbOf>>, kind: 'transaction' | 'snapshot') =>
      account[kind](
        async (tx) => (await sql<{ statement_timeout: string }>`SHOW statement_timeout`.execute(tx)).rows[0],
      );
    const shown = (statement_timeout: string) => ({ statement_timeout });
    const limited = accountDbOf(database.api, ACCOUNT_LIMITS.statementMs)(tenant.accountId, null);
    expect(await limitIn(limited, 'transaction')).toStrictEqual(shown('15s'));
    expect(await limitIn(limited, 'snapshot')).toStrictEqual(shown('15s'));
    expect((await sql`SHOW statement_timeout`.execute(database.api)).rows[0]).toStrictEqual(shown('0'));
    const worker = accountDbOf(database.api)(tenant.accountId, null);
    expect(await limitIn(worker, 'transaction')).toStrictEqual(shown('0'));
  });
});

/** Accepts a mail. @returns the key of its refusal link */
async function keyOfMail(): Promise<string> {
  const { id } = await acceptRun(database, tenant, 1);
  const { mail_key } = await database.db
    .selectFrom('delivery')
    .select('mail_key')
    .where('send_log_id', '=', id)
    .executeTakeFirstOrThrow();
  return (mail_key ?? '').replaceAll('-', '');
}

describe('an account takes its share of the connections', () => {
  test('30 long lists hold three connections; writing, other accounts and refusals go on beside them', async () => {
    const site = await serve();
    const ask = await callerOf(site, tenant.accountId);
    const neighbour = await callerOf(site, (await addTenant(database.db)).accountId);
    const key = await keyOfMail();
    const unlock = await lock('closing_day');
    const lists = Promise.all(Array.from({ length: 30 }, () => ask('GET', LIST)));
    await untilBlocked(database, 3);
    // The pool of a test has four connections.
    expect(await neighbour('GET', '/sender_group/list')).toStrictEqual(OK);
    expect(await ask('PUT', '/account_rule', { body: { update_info: { undo_seconds: 0 } } })).toStrictEqual(OK);
    const refusal = await fetch(`${site}/u/${key}`, { method: 'POST', body: 'List-Unsubscribe=One-Click' });
    expect(refusal.status).toBe(200);
    expect(await countBlocked()).toBe(3);
    await unlock();
    expect(await lists).toStrictEqual(Array.from({ length: 30 }, () => OK));
  });

  test('as many changes at once hold three others; lists go on beside them', async () => {
    const site = await serve();
    const ask = await callerOf(site, tenant.accountId);
    const unlock = await lock('closing_day');
    const changes = Promise.all(
      Array.from({ length: 6 }, (_, n) => ask('POST', '/closing_day', addDay(`2027-01-0${n + 1}`))),
    );
    await untilBlocked(database);
    expect(await ask('GET', '/sender_group/list')).toStrictEqual(OK);
    expect(await countBlocked()).toBeLessThanOrEqual(3);
    await unlock();
    expect(await changes).toStrictEqual(Array.from({ length: 6 }, () => OK));
  });

  test('a call beyond those that may wait is 429 with Retry-After at once, and the log says whose it was', async () => {
    const ask = await callerOf(await serve({ connections: 1, waiting: 2 }), tenant.accountId);
    const unlock = await lock('closing_day');
    const asked = Array.from({ length: 4 }, () => ask('GET', LIST));
    expect(await Promise.race(asked)).toStrictEqual(REFUSED);
    const line = { account: tenant.accountId, call: `GET ${API_BASE}${LIST}`, ms: expect.any(Number) };
    expect(lines).toMatchObject([line]);
    await unlock();
    expect((await Promise.all(asked)).map(({ status }) => status).toSorted((a, b) => a - b)).toStrictEqual([
      200, 200, 200, 429,
    ]);
  });

  test('a call that waits too long is 429, and holds no place of the queue afterwards', async () => {
    const ask = await callerOf(await serve({ connections: 1, waiting: 1, waitMs: 50 }), tenant.accountId);
    const unlock = await lock('closing_day');
    const first = ask('GET', LIST);
    await untilBlocked(database);
    expect(await ask('GET', LIST)).toStrictEqual(REFUSED);
    expect(await ask('GET', LIST)).toStrictEqual(REFUSED);
    await unlock();
    expect(await first).toStrictEqual(OK);
  });

  test('a client that leaves in the middle of a long list keeps nobody out, and is no fault', async () => {
    await addManyProspects(database.db, tenant.accountId, 9000);
    // More than the buffers of two sockets take.
    await database.pool.query(`UPDATE prospect SET address = repeat('東', 1000)`);
    const site = await serve({ statementMs: 60_000, connections: 1, waiting: 1, waitMs: 60_000 });
    const authorization = `Bearer ${await openSessionOf(database.login, tenant.accountId, Date.now())}`;
    const ask = await callerOf(site, tenant.accountId);
    const list = get(`${site}${API_BASE}/prospect/list`, { agent: false, headers: { authorization } });
    const answer = await new Promise<IncomingMessage>((resolve) => list.once('response', resolve));
    const unlock = await lock('closing_day');
    const holding = ask('GET', LIST);
    await untilBlocked(database);
    // Then its next slice waits.
    answer.resume();
    await new Promise((wait) => setTimeout(wait, 500));
    list.destroy();
    const late = await askUntilWaits(ask);
    await unlock();
    expect(await Promise.all([holding, late()])).toStrictEqual([OK, OK]);
    expect(lines.filter(({ level }) => Number(level) >= 50)).toStrictEqual([]);
  });

  test('a closed request leaves the queue: it keeps nobody out, and reads nothing', async () => {
    const limits = { statementMs: 60_000, connections: 1, waiting: 2, waitMs: 60_000 };
    const ask = await callerOf(await serve(limits), tenant.accountId);
    const unlock = await lock('closing_day');
    const first = ask('GET', LIST);
    await untilBlocked(database);
    const closing = new AbortController();
    const refused: unknown[] = [];
    const closed = Array.from({ length: 5 }, async () => refused.push(await ask('GET', LIST, closing)));
    // Then the two others wait.
    await eventually(
      () => refused,
      ({ length }) => length === 3,
    );
    expect(refused).toStrictEqual([REFUSED, REFUSED, REFUSED]);
    closing.abort();
    await Promise.allSettled(closed);
    const late = await askUntilWaits(ask);
    await unlock();
    expect(await Promise.all([first, late()])).toStrictEqual([OK, OK]);
  });

  /** Asks until a call gets into the queue: the server learns of a client that has left a moment later. */
  async function askUntilWaits(ask: Awaited<ReturnType<typeof callerOf>>): Promise<() => Promise<unknown>> {
    const asked: Promise<unknown>[] = [];
    const askOnce = () => {
      asked.push(ask('GET', LIST));
      return Promise.race([asked.at(-1), new Promise((wait) => setTimeout(wait, 1000, 'waits'))]);
    };
    await eventually(askOnce, (answer) => answer === 'waits');
    return async () => asked.at(-1);
  }
});

describe('a call that has begun', () => {
  const of = (limits: Partial<AccountLimits>, call: Call = { ...changeProspects }) => {
    const memberDb = limitedAccountDb(database.api, { ...ACCOUNT_LIMITS, ...limits });
    return (isClosed = () => false) => memberDb(tenant, call, isClosed);
  };
  const read = (account: ReturnType<ReturnType<typeof of>>) =>
    account.snapshot((tx) => tx.selectFrom('sender_group').select('id').execute());

  test('is neither refused nor dropped: what it has changed would stay half done', async () => {
    const accountOf = of({ connections: 1, waiting: 0, waitMs: 1 });
    let isClosed = false;
    const begun = accountOf(() => isClosed);
    await read(begun);
    isClosed = true;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const holding = accountOf().snapshot(() => released);
    const waiting = read(begun);
    await expect(read(accountOf())).rejects.toThrow(TooManyAtOnce);
    await new Promise((wait) => setTimeout(wait, 20));
    release();
    await holding;
    expect(await waiting).toHaveLength(1);
  });

  test('leaves the queue with its client where it only reads, and keeps nobody out', async () => {
    const accountOf = of({ connections: 1, waiting: 1, waitMs: 60_000 }, { ...listProspects });
    let isClosed = false;
    const begun = accountOf(() => isClosed);
    await read(begun);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const holding = accountOf().snapshot(() => released);
    const left = expect(read(begun)).rejects.toThrow(TooManyAtOnce);
    await expect(read(accountOf())).rejects.toThrow(TooManyAtOnce);
    isClosed = true;
    const next = read(accountOf());
    await left;
    release();
    await holding;
    expect(await next).toHaveLength(1);
  });

  test('gives its place back where it fails, and asks again for each try', async () => {
    const account = of({ connections: 1, waiting: 0 })();
    for (let n = 0; n < 3; n += 1) {
      await expect(account.snapshot(() => Promise.reject(new Error('ours')))).rejects.toThrow('ours');
      await expect(account.transaction(() => Promise.reject(new Error('ours')))).rejects.toThrow('ours');
    }
    expect(await read(of({ connections: 1, waiting: 0 })())).toHaveLength(1);
  });

  test('calls of an account go in the order in which they came', async () => {
    const accountOf = of({ connections: 1 });
    const order: number[] = [];
    await Promise.all([1, 2, 3, 4].map((n) => accountOf().snapshot(async () => void order.push(n))));
    expect(order).toStrictEqual([1, 2, 3, 4]);
  });
});
