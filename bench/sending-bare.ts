import nodemailer from 'nodemailer';

/**
 * `node bench/sending-bare.ts PORT MAILS CONNECTIONS`: sends mails by nodemailer's own pool and nothing else.
 * The mails are as long as ours and have as many parts. Writes { seconds, cpuSeconds, rss (peak, MB) } as JSON.
 */
const [port = 0, mails = 0, maxConnections = 0] = process.argv.slice(2).map(Number);
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
      subject: '件名',
      text: '本文',
      html: '<p>本文</p>',
    });
  }
};
await Promise.all(Array.from({ length: 2 * maxConnections }, lane));
const seconds = (performance.now() - begun) / 1000;
const { user, system } = process.cpuUsage(before);
pool.close();
const rss = process.resourceUsage().maxRSS / 1024;
process.stdout.write(JSON.stringify({ seconds, cpuSeconds: (user + system) / 1e6, rss }));
