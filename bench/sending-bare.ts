import { randomUUID } from 'node:crypto';
import nodemailer from 'nodemailer';
import { renderMail } from '#server/features/mail-content/run-mail.ts';
import { BENCH_RUN } from './sending-letter.ts';

/**
 * `node bench/sending-bare.ts PORT MAILS CONNECTIONS PARTS`: sends mails with nodemailer's own pool only. Each is
 * rendered from the benches' letter, as in the worker. PARTS is JSON: `tls` for STARTTLS, `dkim` with nodemailer's
 * option. Writes { seconds, cpuSeconds, rss (peak, MB) } as JSON.
 */
export interface BareParts {
  readonly tls: boolean;
  readonly dkim: { readonly domainName: string; readonly keySelector: string; readonly privateKey: string } | null;
}

const [port = 0, mails = 0, maxConnections = 0] = process.argv.slice(2, 5).map(Number);
const { tls, dkim }: BareParts = JSON.parse(process.argv[5] ?? '');
const pool = nodemailer.createTransport({
  pool: true,
  host: tls ? 'localhost' : '127.0.0.1',
  port,
  requireTLS: tls,
  ignoreTLS: !tls,
  maxConnections,
  disableFileAccess: true,
  disableUrlAccess: true,
  ...(dkim && { dkim }),
});
const begun = performance.now();
const before = process.cpuUsage();
let next = 0;
/** Sends mails in two loops for each connection, so that the next mail is ready. */
const lane = async () => {
  while (next < mails) {
    next += 1;
    await pool.sendMail({
      from: { name: '担当', address: 'sender@example.com' },
      to: `${next}@x.jp`,
      ...renderMail(BENCH_RUN, {
        company_name: `会社${next}`,
        person_in_charge: '',
        mail_key: randomUUID().replaceAll('-', ''),
      }),
    });
  }
};
await Promise.all(Array.from({ length: 2 * maxConnections }, lane));
const seconds = (performance.now() - begun) / 1000;
const { user, system } = process.cpuUsage(before);
pool.close();
const rss = process.resourceUsage().maxRSS / 1024;
process.stdout.write(JSON.stringify({ seconds, cpuSeconds: (user + system) / 1e6, rss }));
