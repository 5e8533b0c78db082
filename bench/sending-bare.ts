import nodemailer from 'nodemailer';

/**
 * `node bench/sending-bare.ts PORT MAILS CONNECTIONS LETTER`: sends mails by nodemailer's own pool and nothing else.
 * The letter is one of ours as JSON, rendered: `subject`, `text` and `html`. Writes { seconds, cpuSeconds, rss (peak,
 * MB) } as JSON.
 */
const [port = 0, mails = 0, maxConnections = 0] = process.argv.slice(2, 5).map(Number);
const letter: { subject: string; text: string; html: string } = JSON.parse(process.argv[5] ?? '');
const pool = nodemailer.createTransport({
  pool: true,
  host: '127.0.0.1',
  port,
  ignoreTLS: true,
  maxConnections,
  disableFileAccess: true,
  disableUrlAccess: true,
});
const begun = performance.now();
const before = process.cpuUsage();
let next = 0;
/** Sends mails in two loops for each connection: one mail under way, and one that follows it. */
const lane = async () => {
  while (next < mails) {
    next += 1;
    await pool.sendMail({
      from: { name: '担当', address: 'sender@example.com' },
      to: `${next}@x.jp`,
      ...letter,
    });
  }
};
await Promise.all(Array.from({ length: 2 * maxConnections }, lane));
const seconds = (performance.now() - begun) / 1000;
const { user, system } = process.cpuUsage(before);
pool.close();
const rss = process.resourceUsage().maxRSS / 1024;
process.stdout.write(JSON.stringify({ seconds, cpuSeconds: (user + system) / 1e6, rss }));
