import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { selfSigned } from '#test/certificate.ts';
import { RETURN_PATTERN } from '#test/inbox-mails.ts';
import { startDovecot } from '#test/relay/dovecot.ts';
import { type SinkProcess, startSinkProcess } from '#test/sink-process.ts';
import { startDelayingProxy } from './delaying-proxy.ts';
import { median, print } from './figures.ts';
import type { BareParts } from './sending-bare.ts';
import { openScene } from './sending-scene.ts';
import { type Measured, measurePool, measureWorkers, warmUp } from './sending-sides.ts';

/**
 * Measures the mails per second of worker processes against nodemailer's own pool in one process on the same sink.
 * `npm run bench -- sending [--mails 1000,10000] [--workers 1,2] [--connections 5,20] [--rounds 3]`.
 *
 * The time runs from the moment at which rows may be claimed until they are `sent`. Both sides render and send the
 * benches' letter. Every round has a new sink, which is warmed up first; even rounds begin with the pool, odd rounds
 * with the workers. A share compares the two of one round. The sink and PostgreSQL (fsync on) share the machine with
 * the measured processes.
 *
 * - `--queued 1000000`: the number of due mails; the worker is stopped when it has sent `--mails` of them.
 * - `--node-options`: options for the workers, such as `--cpu-prof`.
 * - `--inbox`: each mail has a return address, and the workers read the empty mailbox of Debian's Dovecot (needs
 * root).
 * - `--tls`: by STARTTLS. `--dkim`: signed with an RSA key of 2,048 bits.
 * - `--rtt 20`: a delaying proxy in this process adds this round trip in ms to the sink.
 */
const { values } = parseArgs({
  options: {
    mails: { type: 'string', default: '1000,10000' },
    queued: { type: 'string', default: '0' },
    workers: { type: 'string', default: '1,2' },
    connections: { type: 'string', default: '5,20' },
    rounds: { type: 'string', default: '3' },
    'node-options': { type: 'string', default: '' },
    inbox: { type: 'boolean', default: false },
    tls: { type: 'boolean', default: false },
    dkim: { type: 'boolean', default: false },
    rtt: { type: 'string', default: '0' },
  },
});
const numbers = (text: string) => text.split(',').map(Number);
const queued = Number(values.queued);
const scene = await openScene();
const dovecot = values.inbox ? await startDovecot() : null;
const folder = mkdtempSync(join(tmpdir(), 'kaitaku-bench-'));
const certificate = values.tls ? selfSigned() : undefined;
const authorities = join(folder, 'certificate.pem');
if (certificate) writeFileSync(authorities, certificate.cert);
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const parts: BareParts = {
  tls: values.tls,
  dkim: values.dkim ? { domainName: 'example.com', keySelector: 'bench', privateKey } : null,
};
const trusted = { ...process.env, ...(certificate && { NODE_EXTRA_CA_CERTS: authorities }) };
const env = {
  NODE_OPTIONS: values['node-options'],
  ...(dovecot && {
    INBOX_URL: `imap://${dovecot.user}@127.0.0.1:${dovecot.port}/INBOX`,
    INBOX_PASSWORD: dovecot.password,
    RETURN_ADDRESS: RETURN_PATTERN,
  }),
  ...(certificate && { NODE_EXTRA_CA_CERTS: authorities, SMTP_STARTTLS: 'required' }),
  ...(values.dkim && { DKIM_DOMAIN: 'example.com', DKIM_SELECTOR: 'bench', DKIM_PRIVATE_KEY: privateKey }),
};
const workerEnv = ({ port }: SinkProcess) => ({
  ...env,
  ...(certificate && { SMTP_URL: `smtp://localhost:${port}` }),
});
const row = (...cells: (string | number)[]) => print(`| ${cells.join(' | ')} |`);
row(
  'mails',
  'connections',
  'sent by',
  'mails/s',
  'of the pool',
  'CPU, ms a mail',
  'of the pool',
  'PostgreSQL',
  'sink',
  'updates a mail',
  'HOT',
  'peak RSS, MB',
);
row(...Array.from({ length: 12 }, () => '---'));
for (const mails of numbers(values.mails)) {
  for (const connections of numbers(values.connections)) {
    const counts = numbers(values.workers);
    const pool: Measured[] = [];
    const byWorkers = counts.map((): Measured[] => []);
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const sink = await startSinkProcess(0, certificate);
      const proxy = Number(values.rtt) > 0 ? await startDelayingProxy(sink.port, Number(values.rtt)) : null;
      const server = { ...sink, port: proxy?.port ?? sink.port };
      await warmUp(sink, { connections, parts, env: trusted });
      const sides = [
        async () => void pool.push(await measurePool(server, { mails, connections, parts, env: trusted })),
        async () => {
          for (const [index, workers] of counts.entries()) {
            byWorkers[index]?.push(
              await measureWorkers(scene, server, { mails, queued, workers, connections, env: workerEnv(server) }),
            );
          }
        },
      ];
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) await side();
      proxy?.close();
      await sink.stop();
    }
    const line = (name: string, all: readonly Measured[]) => {
      const of = (key: keyof Measured) => median(all.map((one) => one[key]));
      const share = (key: 'rate' | 'cpu') => median(all.map((one, round) => one[key] / (pool[round]?.[key] ?? 1)));
      row(
        mails,
        connections,
        name,
        of('rate').toFixed(0),
        share('rate').toFixed(2),
        of('cpu').toFixed(2),
        share('cpu').toFixed(2),
        of('postgresCpu').toFixed(2),
        of('sinkCpu').toFixed(2),
        of('updates').toFixed(2),
        of('hotShare').toFixed(2),
        of('rss').toFixed(0),
      );
    };
    line('the bare pool', pool);
    for (const [index, workers] of counts.entries())
      line(`${workers} worker${workers > 1 ? 's' : ''}`, byWorkers[index] ?? []);
  }
}
await dovecot?.stop();
await scene.close();
rmSync(folder, { recursive: true });
