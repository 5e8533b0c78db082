import { networkInterfaces } from 'node:os';
import { type RawBuilder, sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { queueFigures } from '#server/features/delivery/queue-figures.queries.ts';
import { acceptSend } from '#server/features/runs/accept.command.ts';
import { serveApp } from '#test/client.ts';
import { emptyDatabase, testDatabase } from '#test/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { addProspects, addTenant } from '#test/prospects.ts';
import { exchange, requestText } from '#test/raw-http.ts';
import { testSink, testWorker, untilSettled } from '#test/sending.ts';
import { createMetrics, serveMetrics } from './metrics.ts';

async function start() {
  const metrics = createMetrics();
  const { port, close } = await serveMetrics(metrics, 0);
  onTestFinished(close);
  const scrape = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return { metrics, port, scrape };
}

/** Returns the values that a label takes. */
const labelValues = (text: string, metric: string, label: string) =>
  new Set([...text.matchAll(new RegExp(`^${metric}\\{.*?\\b${label}="([^"]*)"`, 'gm'))].map(([, value = '']) => value));

describe('metrics', () => {
  test('show Node, requests and pools, only by route templates', async () => {
    const { metrics, scrape } = await start();
    // Not the database of the worker: other tests have opened connections of its pools.
    const database = await testDatabase();
    metrics.watchPool(database.service.pool, 'service');
    await database.service.pool.query('SELECT 1');
    const { address } = await serveApp(database, Date.now, { metrics });
    const { origin } = new URL(address);
    for (const path of [
      '/api/v1/account/1',
      '/api/v1/account/2',
      '/api/v1/account/taro@example.com',
      '/api/v1/prospect/view?address=secret',
      '/api/v1/nothing/secret',
      '/confirmation/secret',
      '/health/live',
    ]) {
      await fetch(origin + path);
    }
    await exchange(origin, [requestText('PROPFIND /secret')]);

    const text = await scrape();
    expect(text).toMatch(/^nodejs_eventloop_lag_seconds /m);
    expect(text).toMatch(/^process_resident_memory_bytes \d/m);
    expect(text).toMatch(/^kaitaku_database_connections\{role="service",state="idle"\} 1$/m);
    expect(text).toMatch(/^kaitaku_database_connections\{role="service",state="in use"\} 0$/m);
    expect(text).toMatch(
      /^kaitaku_http_request_duration_seconds_count\{method="GET",route="\/api\/v1\/account\/:id",status="401"\} 3$/m,
    );
    const routes = labelValues(text, 'kaitaku_http_request_duration_seconds_count', 'route');
    const templates = ['/api/v1/account/:id', '/api/v1/prospect/view', '/health/live'];
    expect([...routes].filter((route) => route !== '/*' && route !== 'none').sort()).toStrictEqual(templates);
    expect(text).not.toMatch(/secret|example\.com/);
  });

  test('count mails by what became of them', async () => {
    const { metrics, scrape } = await start();
    const database = await emptyDatabase();
    const { accountId, senderId } = await addTenant(database.db);
    const sink = await testSink();
    sink.fault = (moment, line) => (moment === 'RCPT' && line.includes('gone@') ? '550 5.1.1 no such user' : null);
    const ids = await addProspects(database.db, accountId, [
      { company_name: '株式会社一', company_email: 'info@example.com' },
      { company_name: '株式会社二', company_email: 'gone@example.com' },
    ]);
    const body = { test_send_mode: 0 as const, attack_list: ids.map((prospect_id) => ({ prospect_id })) };
    await acceptSend(
      database.account(accountId),
      { senderId, body, idempotencyKey: null, ...TEST_MAILING },
      Date.now(),
    );
    testWorker(database, sink, { connections: 1, metrics });
    expect(await untilSettled(database.db)).toStrictEqual({ sent: 1, failed: 1 });
    const text = await scrape();
    expect(text).toMatch(/^kaitaku_deliveries_total\{outcome="sent"\} 1$/m);
    expect(text).toMatch(/^kaitaku_deliveries_total\{outcome="failed"\} 1$/m);
    expect(text).not.toContain('example.com');
  });

  test('show what waits in the queue of all accounts, and nothing where the database is away', async () => {
    const { metrics, scrape } = await start();
    const database = await emptyDatabase();
    const { accountId, senderId } = await addTenant(database.db);
    const ids = await addProspects(
      database.db,
      accountId,
      Array.from({ length: 7 }, (_, n) => ({ company_name: `株式会社${n}`, company_email: `info${n}@example.com` })),
    );
    await acceptSend(
      database.account(accountId),
      {
        senderId,
        body: { test_send_mode: 0, attack_list: ids.map((prospect_id) => ({ prospect_id })) },
        idempotencyKey: null,
        ...TEST_MAILING,
      },
      Date.now(),
    );
    const { rows } = await sql<{ id: number }>`SELECT id FROM delivery ORDER BY id`.execute(database.db);
    const change = (index: number, set: RawBuilder<unknown>) =>
      sql`UPDATE delivery SET ${set} WHERE id = ${rows[index]?.id}`.execute(database.db);
    await change(0, sql`not_before = now() - interval '90 seconds'`);
    await change(1, sql`not_before = now() + interval '1 hour'`);
    await change(2, sql`not_before = 'infinity'`);
    await change(3, sql`not_before = 'infinity'`);
    await change(4, sql`state = 'claimed', worker_id = gen_random_uuid(), lease_until = now() + interval '1 hour'`);
    await change(5, sql`state = 'unknown', finished_at = now()`);
    const reserve = (ago: string) => sql`
      INSERT INTO reservation (account_id, sender_group_id, sender_id, test_send_mode, send_at)
      SELECT account_id, sender_group_id, id, false, now() - ${ago}::interval
      FROM sender WHERE id = ${senderId}`;
    await reserve('100 seconds').execute(database.db);
    await reserve('2 hours').execute(database.db);
    await sql`UPDATE transport SET faults = 3, paused_until = now() + interval '1 hour'`.execute(database.db);
    await sql`UPDATE installation SET rewound_at = now()`.execute(database.db);
    let read = () => queueFigures(database.service.db);
    metrics.watchQueue(() => read());

    const text = await scrape();
    const figureOf = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    for (const [name, value] of [
      ['kaitaku_queue_mails{state="due"}', 2],
      ['kaitaku_queue_mails{state="deferred"}', 1],
      ['kaitaku_queue_mails{state="paused"}', 2],
      ['kaitaku_queue_mails{state="in_progress"}', 1],
      ['kaitaku_unknown_mails', 1],
      ['kaitaku_reservations_due', 1],
      ['kaitaku_reservations_missed', 1],
      ['kaitaku_transport_paused', 1],
      ['kaitaku_transport_faults', 3],
      ['kaitaku_database_rewound', 1],
    ] as const) {
      expect(figureOf(name.replaceAll(/[{}]/g, '\\$&')), name).toBe(value);
    }
    expect(figureOf('kaitaku_queue_oldest_due_seconds')).toBeGreaterThanOrEqual(90);
    expect(figureOf('kaitaku_reservations_oldest_due_seconds')).toBeGreaterThanOrEqual(100);

    metrics.watchStorage(async () => ({ storedBytes: 5, roomBytes: null, isFull: 1 }));
    expect(await scrape()).toMatch(/^kaitaku_stored_bytes 5$[\s\S]*^kaitaku_storage_full 1$/m);
    expect(await scrape()).not.toMatch(/^kaitaku_storage_room_bytes \d/m);

    read = () => Promise.reject(new Error('the database is away'));
    expect(await scrape()).not.toMatch(
      /^kaitaku_(?:queue|unknown|reservations|transport_paused|transport_faults|database)\S* \d/m,
    );
  });

  test('are served on 127.0.0.1 and nowhere else', async () => {
    const { port } = await start();
    const others = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ address }) => address !== '127.0.0.1' && !address.startsWith('fe80'))
      .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));
    for (const host of ['127.0.0.2', ...others]) {
      await expect(fetch(`http://${host}:${port}/metrics`), host).rejects.toThrow('fetch failed');
    }
  });

  test('are served where METRICS_HOST says', async () => {
    const { port, close } = await serveMetrics(createMetrics(), 0, '127.0.0.2');
    onTestFinished(close);
    expect((await fetch(`http://127.0.0.2:${port}/metrics`)).status).toBe(200);
    // Another program may have the port there.
    const elsewhere = await fetch(`http://127.0.0.1:${port}/metrics`).then(
      (answer) => answer.text(),
      () => '',
    );
    expect(elsewhere).not.toContain('kaitaku_');
  });

  test('are all there is on that port', async () => {
    const { port } = await start();
    const url = `http://127.0.0.1:${port}`;
    expect((await fetch(`${url}/`)).status).toBe(404);
    expect((await fetch(`${url}/metrics?x=1`)).status).toBe(404);
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(404);
  });

  test('a taken port is an error', async () => {
    const { port, metrics } = await start();
    await expect(serveMetrics(metrics, port)).rejects.toThrow('EADDRINUSE');
  });
});
