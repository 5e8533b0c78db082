import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { type BoxSinks, sendByBox, startBoxSink } from '#test/box-sinks.ts';
import { emptyDatabase } from '#test/db.ts';
import { serveZone } from '#test/dns-zone.ts';
import type { Program } from '#test/program.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { TEST_SECRET_KEY } from '#test/secrets.ts';
import { acceptRun, eventually, testSink, untilSettled } from '#test/sending.ts';
import { form } from './form.ts';
import { judge } from './truth.ts';
import { kill, startWorker, stop, untilMerged } from './workers.ts';

const random = form.random();
const HOSTS = ['mail.one.example', 'mail.other.example'];
/** Of each mailbox, and of the mail server of the environment. */
const MAILS = Math.ceil(form.mails / 10);

/** Two workers are killed in turn while mails leave by two mailboxes and the mail server of the environment. */
test(
  `${form.kills} × kill -9 in 3 × ${MAILS} mails of two mailboxes and the mail server: none lost, doubled or from a wrong address (seed ${form.seed})`,
  async () => {
    const database = await emptyDatabase();
    const { db } = database;
    // The servers listen on free ports, and no pace ends the test late.
    await sql`ALTER TABLE mailbox DROP CONSTRAINT IF EXISTS mailbox_smtp_port_check,
      DROP CONSTRAINT IF EXISTS mailbox_per_minute_check`.execute(db);
    const sinks: BoxSinks = new Map();
    const relay = await testSink();
    const relays = await addTenant(db);
    const tenants: Tenant[] = [relays];
    for (const host of HOSTS) {
      const tenant = await addTenant(db);
      const { port: smtp_port } = await startBoxSink(sinks, host);
      await sendByBox(database, tenant, host, { smtp_port, per_minute: 60_000 });
      tenants.push(tenant);
    }
    for (const tenant of tenants) await acceptRun(database, tenant, MAILS);
    const zone = await serveZone(Object.fromEntries(HOSTS.map((host) => [`A ${host}`, ['127.0.0.1']])));
    const all = () => [relay, ...sinks.values()].flatMap(({ mails }) => mails);
    const more = {
      SECRET_KEY: TEST_SECRET_KEY,
      DNS_SERVERS: zone.server,
      MAIL_HOSTS_ALLOWED: HOSTS.join(','),
      NODE_EXTRA_CA_CERTS: authorities([...sinks.values()].map(({ tls }) => tls?.cert ?? '')),
    };
    const start = () => startWorker(database.url, relay.port, 2, more);
    const workers: Program[] = [start(), start()];
    for (let kills = 0; kills < form.kills; kills += 1) {
      const next = ((kills + 0.5) * 2.5 * MAILS) / form.kills;
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
  },
  300_000 + form.kills * 20_000,
);

/** Writes certificates to a file for NODE_EXTRA_CA_CERTS. */
function authorities(certificates: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-boxes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'authorities.pem');
  writeFileSync(path, certificates.join('\n'));
  return path;
}
