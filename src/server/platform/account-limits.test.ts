import { sql } from 'kysely';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { API_BASE } from '#contract/call.ts';
import { changeProspects } from '#contract/companies-bulk.ts';
import { openSessionOf } from '#test/accounts.ts';
import { serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun } from '#test/sending.ts';
import { ACCOUNT_LIMITS, type AccountLimits } from './account-limits.ts';
import { accountDbOf } from './database/account-db.ts';
import { createLog } from './log.ts';

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
  return async (method: string, path: string, { body }: { body?: object } = {}) => {
    const response = await fetch(site + API_BASE + path, {
      method,
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { readonly code?: string };
    return { status: response.status, code: answer.code, retryAfter: response.headers.get('retry-after') };
  };
}

const OK = { status: 200, code: undefined, retryAfter: null };
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
