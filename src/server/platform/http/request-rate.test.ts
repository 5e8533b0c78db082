import { beforeAll, describe, expect, test } from 'vitest';
import {
  ACCOUNT_REQUESTS_PER_MINUTE,
  MEMBER_REQUESTS_PER_MINUTE,
  VISITOR_REQUESTS_PER_MINUTE,
} from '#domain/limits.ts';
import { openSessionOf } from '#test/accounts.ts';
import { serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant } from '#test/prospects.ts';
import { requestRate } from './request-rate.ts';

describe('requestRate', () => {
  test("passes the limit's requests a minute, counted from the first, and returns the wait", () => {
    let now = 1_000_000;
    const rate = requestRate(3, () => now);
    expect([rate('a'), rate('a'), rate('a')]).toStrictEqual([null, null, null]);
    now += 20_000;
    expect([rate('a'), rate('b')]).toStrictEqual([40, null]);
    now += 39_999;
    expect(rate('a')).toBe(0.001);
    now += 1;
    expect(rate('a')).toBeNull();
  });

  test('keeps a bounded number of counters: the oldest is forgotten', () => {
    const rate = requestRate(1, () => 0);
    rate('first');
    rate('second');
    for (let n = 0; n < 99_999; n += 1) rate(n);
    expect(rate('second')).toBe(60);
    expect(rate('first')).toBeNull();
  });
});

describe('over HTTP', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await emptyDatabase();
  });

  const tooMany = {
    code: 'too_many_requests',
    message: '操作が多すぎます。1分ほど待ってから、やり直してください。',
  };

  test('each member has a count, whatever address and token they use', async () => {
    const rates = { member: 2, account: 9, visitor: 1 };
    const { address } = await serveApp(database, () => Date.UTC(2026, 10, 21), { rates });
    const [{ accountId: one }, { accountId: other }] = [await addTenant(database.db), await addTenant(database.db)];
    const statuses = [];
    for (const id of [one, one, one, other]) {
      const token = await openSessionOf(database.login, id, Date.UTC(2026, 10, 21));
      const answer = await fetch(`${address}/account/${id}`, { headers: { authorization: `Bearer ${token}` } });
      statuses.push(answer.status);
      if (answer.status !== 429) continue;
      expect(await answer.json()).toStrictEqual(tooMany);
      expect(answer.headers.get('retry-after')).toBe('60');
    }
    expect(statuses).toStrictEqual([200, 200, 429, 200]);
  });

  test('visitors count by the network the proxy names, before their password is looked at', async () => {
    const { address } = await serveApp(database, Date.now, {
      rates: { member: 1, account: 1, visitor: 2 },
      proxies: { ranges: ['127.0.0.1'], header: 'x-forwarded-for' },
    });
    const logIn = async (from: string) => {
      const answer = await fetch(`${address}/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
        body: '{"email":"nobody@example.com","password":"x"}',
      });
      return answer.status;
    };
    const statuses = [];
    const visits = ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:1::1', '203.0.113.1', '203.0.113.2'];
    // As Azure's gateway writes it: the port is another one with each connection.
    visits.push('203.0.113.1:51234', '203.0.113.1:51235', '203.0.113.2:51236');
    for (const from of visits) statuses.push(await logIn(from));
    expect(statuses).toStrictEqual([401, 401, 429, 401, 401, 401, 401, 429, 401]);
  });

  test('a service that signs what it says may call as often as a member', async () => {
    const { address } = await serveApp(database, Date.now, { rates: { member: 2, account: 9, visitor: 1 } });
    const statuses = [];
    for (let n = 0; n < 3; n += 1) {
      const events = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '[]' };
      statuses.push((await fetch(`${address}/sendgrid/events`, events)).status);
    }
    // 404: this server has no key for events.
    expect(statuses).toStrictEqual([404, 404, 429]);
  });

  test('what ships is 600 for a member, 3,000 for an account and 60 for a network', () => {
    const shipped = [MEMBER_REQUESTS_PER_MINUTE, ACCOUNT_REQUESTS_PER_MINUTE, VISITOR_REQUESTS_PER_MINUTE];
    expect(shipped).toStrictEqual([600, 3000, 60]);
  });
});
