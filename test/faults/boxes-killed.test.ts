import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { type BoxSinks, sendByBox, startBoxSink } from '#test/box-sinks.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { serveZone } from '#test/dns-zone.ts';
import { registerOAuthApp } from '#test/mailboxes.ts';
import { type OAuthStub, serveOAuth } from '#test/oauth-provider.ts';
import type { Program } from '#test/program.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { TEST_SECRET_KEY } from '#test/secrets.ts';
import { acceptRun, eventually, testSink, untilSettled } from '#test/sending.ts';
import { form } from './form.ts';
import { judge } from './truth.ts';
import { kill, startWorker, stop, untilMerged } from './workers.ts';

const random = form.random();
const PROVIDER = 'login.microsoftonline.com';
const HOSTS = ['mail.one.example', 'mail.other.example'];
/** Of each mailbox, and of the mail server of the environment. */
const MAILS = 10 * Math.ceil(form.mails / 100);
/** Of access tokens: each is renewed after two thirds of it. */
const LIFE_SECONDS = 20;
/** About how long all mails take: several lives. */
const BUSY_MS = 45_000;

/**
 * Two workers are killed in turn while mails leave by two mailboxes, with tokens, and by the mail server of the
 * environment; both at once while one asks for a new token.
 */
test(
  `${form.kills + 1} × kill -9 in 3 × ${MAILS} mails of the mail server and two mailboxes, whose tokens live ${LIFE_SECONDS} s: none lost, doubled or from a wrong address (seed ${form.seed})`,
  async () => {
    const database = await emptyDatabase();
    const { db } = database;
    const sinks: BoxSinks = new Map();
    const relay = await testSink();
    relay.latencyMs = BUSY_MS / MAILS;
    const provider = await serveOAuth(PROVIDER);
    // As Microsoft: the former refresh token stays valid, so that a process that is killed with a new one loses none.
    Object.assign(provider, { seconds: LIFE_SECONDS, rotates: true });
    const renewals = watchRenewals(provider);
    const relays = await addTenant(db);
    const tenants: Tenant[] = [relays, ...(await addBoxes(database, sinks, provider))];
    for (const tenant of tenants) await acceptRun(database, tenant, MAILS);
    const more = await settingsFor(sinks, provider);
    const all = () => [relay, ...sinks.values()].flatMap(({ mails }) => mails);
    const start = () => startWorker(database.url, relay.port, 2, more);
    const workers: Program[] = [start(), start()];
    await eventually(
      () => renewals.count,
      (count) => count > 0,
      90_000,
    );
    await Promise.all(workers.splice(0).map(kill));
    workers.push(start(), start());
    const before = all().length;
    for (let kills = 0; kills < form.kills; kills += 1) {
      const next = before + ((kills + 0.5) * 0.8 * (3 * MAILS - before)) / form.kills;
      await eventually(
        () => all().length,
        (count) => count >= next,
        90_000,
      );
      await sleep(random() * 30);
      const [victim] = workers.splice(kills % 2, 1, start());
      if (victim) await kill(victim);
    }
    await untilSettled(db, 180_000);
    await untilMerged(database);
    for (const worker of workers) expect(await stop(worker)).toBe(0);

    const { wrong, sent, unknown } = await judge(
      db,
      all().map(({ messageId }) => messageId),
    );
    expect(wrong).toStrictEqual([]);
    expect(sent + unknown).toBe(3 * MAILS);
    const ways = (mails: readonly { from: string; source: string }[]) => [
      ...new Set(mails.map(({ from, source }) => `${from} ${/^From: .*<([^>]+)>/m.exec(source)?.[1]}`)),
    ];
    expect(ways(relay.mails)).toStrictEqual(['sender@example.com sender@example.com']);
    for (const [host, { mails, mostConnections }] of sinks) {
      expect(ways(mails)).toStrictEqual([`person@${host} person@${host}`]);
      expect(mostConnections).toBe(1);
    }
    expect(renewals.count).toBeGreaterThan(4);
    expect(renewals.doubled).toBe(0);
    const boxes = await db
      .selectFrom('mailbox')
      .innerJoin('mailbox_state', 'mailbox_state.mailbox_id', 'mailbox.id')
      .select(['state', 'login_refusals'])
      .execute();
    expect(boxes).toStrictEqual(HOSTS.map(() => ({ state: 'ok', login_refusals: 0 })));
  },
  300_000 + form.kills * 20_000,
);

/** Adds a tenant for each of HOSTS, with a mailbox at a server that ends connections early. */
async function addBoxes(database: TestDatabase, sinks: BoxSinks, provider: OAuthStub): Promise<Tenant[]> {
  const { db } = database;
  // The servers listen on free ports, and the pace is that of BUSY_MS.
  await sql`ALTER TABLE mailbox DROP CONSTRAINT IF EXISTS mailbox_smtp_port_check,
    DROP CONSTRAINT IF EXISTS mailbox_per_minute_check`.execute(db);
  const tenants: Tenant[] = [];
  for (const host of HOSTS) {
    const tenant = await addTenant(db);
    const sink = await startBoxSink(sinks, host);
    sink.login = null;
    sink.token = (user, token) => user === host && provider.accepts(token);
    // An open connection needs no other token.
    sink.fault = (moment, _line, taken) => (moment === 'dot' && taken + 1 === MAILS / 10 ? 'answer, close' : null);
    await registerOAuthApp(db, tenant.accountId, 'microsoft');
    await sendByBox(database, tenant, host, {
      kind: 'microsoft',
      smtp_port: sink.port,
      per_minute: Math.ceil((MAILS * 60_000) / BUSY_MS),
      token_expires_at: new Date(Date.now() + LIFE_SECONDS * 1000),
      tokens: { ...provider.issue(), life: LIFE_SECONDS },
    });
    tenants.push(tenant);
  }
  return tenants;
}

/** Leads workers to the provider and the mailboxes' servers. */
async function settingsFor(sinks: BoxSinks, provider: OAuthStub): Promise<Record<string, string>> {
  const zone = await serveZone({
    ...Object.fromEntries(HOSTS.map((host) => [`A ${host}`, ['127.0.0.1']])),
    // Public, else it is refused; no packet leaves for it.
    [`A ${PROVIDER}`]: ['8.8.8.8'],
  });
  const certificates = [...sinks.values()].map(({ tls }) => tls?.cert ?? '');
  return {
    SECRET_KEY: TEST_SECRET_KEY,
    DNS_SERVERS: zone.server,
    MAIL_HOSTS_ALLOWED: HOSTS.join(','),
    NODE_EXTRA_CA_CERTS: authorities([...certificates, provider.certificate.cert]),
    NODE_OPTIONS: `--import=${import.meta.resolve('./lead-to-provider.ts')}`,
    TEST_PROVIDER_PORT: `${provider.port}`,
  };
}

/** Answers renewals after a while, and counts those that two live processes asked for with one refresh token. */
function watchRenewals(provider: OAuthStub) {
  const open = new Set<string>();
  const renewals = { count: 0, doubled: 0 };
  provider.instead = async (_path, { refresh_token = '' }, response) => {
    renewals.count += 1;
    if (open.has(refresh_token)) renewals.doubled += 1;
    open.add(refresh_token);
    response.once('close', () => open.delete(refresh_token));
    await sleep(500);
    return false;
  };
  return renewals;
}

/** Writes certificates to a file for NODE_EXTRA_CA_CERTS. */
function authorities(certificates: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-boxes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'authorities.pem');
  writeFileSync(path, certificates.join('\n'));
  return path;
}
