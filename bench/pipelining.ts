import { parseArgs } from 'node:util';
import type { ComposedMail } from '#server/platform/mail/compose.ts';
import { smtpLane } from '#server/platform/mail/smtp/connection.ts';
import { pipeliningTrust } from '#server/platform/mail/smtp/pipelining-trust.ts';
import { SMTP_TIMES } from '#server/platform/mail/smtp/settings.ts';
import { type SmtpSink, startSmtpSink } from '#test/smtp-sink.ts';
import { startDelayingProxy } from './delaying-proxy.ts';
import { median, print } from './figures.ts';

/**
 * Measures how long mails take to servers that break pipelining or end sessions early, on connections of one process.
 * `npm run bench -- pipelining [--mails 600] [--connections 1] [--rtt 20] [--limit 20] [--rounds 3]
 * [--only limit]`.
 *
 * The cases take turns, so that a busy machine slows all of them; the server is in this process. `--only` is a part of
 * the names of the cases to run.
 */
const { values } = parseArgs({
  options: {
    mails: { type: 'string', default: '600' },
    connections: { type: 'string', default: '1' },
    rtt: { type: 'string', default: '20' },
    limit: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
  },
});
const [mails, connections, rtt, rounds] = [values.mails, values.connections, values.rtt, values.rounds].map(Number) as [
  number,
  number,
  number,
  number,
];

/** The maximum number of mails in a session, at the servers that limit it. */
const limit = Number(values.limit);

type Faults = SmtpSink['fault'];

/** Injects a fault at every `every`-th final dot, counted over all connections. */
function atDots(every: number, fault: 'lose' | 'close' | 'answer, close'): Faults {
  let dots = 0;
  return (moment) => {
    if (moment !== 'dot') return null;
    dots += 1;
    return dots % every === 0 ? fault : null;
  };
}

/** Functions that each start one of the servers. */
const CASES: Readonly<Record<string, () => Faults>> = {
  'keeps to RFC 2920': () => () => null,
  'loses what follows each 60th dot': () => atDots(60, 'lose'),
  'loses what follows each dot': () => atDots(1, 'lose'),
  'closes at each 60th dot without an answer': () => atDots(60, 'close'),
  'closes after the answer to each 60th dot': () => atDots(60, 'answer, close'),
  [`limit of ${limit} mails: closes after the answer`]: () => (moment, _line, taken) =>
    moment === 'dot' && taken === limit - 1 ? 'answer, close' : null,
  [`limit of ${limit} mails: says 421 to the next MAIL`]: () => (moment, _line, taken) =>
    moment === 'MAIL' && taken === limit ? '421 4.7.0 too many messages in this session' : null,
};

interface Result {
  readonly seconds: number;
  readonly sessions: number;
  readonly notSent: number;
}

async function measure(faults: Faults): Promise<Result> {
  const sink = await startSmtpSink();
  const proxy = await startDelayingProxy(sink.port, rtt);
  let sessions = 0;
  sink.fault = (moment, line, taken) => {
    if (moment === 'greeting') sessions += 1;
    return faults(moment, line, taken);
  };
  const trust = pipeliningTrust();
  const settings = { host: '127.0.0.1', port: proxy.port, secure: false, requireTls: false, credentials: null };
  const waiting = Array.from({ length: mails }, (_, n) => mailTo(n));
  let notSent = 0;
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const lane = smtpLane(settings, SMTP_TIMES, trust);
      for (let mail = waiting.shift(); mail; ) {
        let next: ComposedMail | undefined;
        const takeNext = () => {
          next ??= waiting.shift();
          return next ?? null;
        };
        const { kind } = await lane.send(mail.envelope, mail.message, async () => true, takeNext);
        if (kind !== 'sent') notSent += 1;
        mail = next ?? waiting.shift();
      }
      lane.close();
    }),
  );
  const seconds = (performance.now() - begun) / 1000;
  proxy.close();
  await sink.close();
  return { seconds, sessions, notSent };
}

const mailTo = (n: number): ComposedMail => ({
  envelope: { from: 'a@example.com', to: `${n}@example.com`, bcc: [] },
  message: Buffer.from(`Message-ID: <${n}@example.com>\r\n\r\n${'body\r\n'.repeat(400)}`),
});

const cases = Object.entries(CASES).filter(([name]) => name.includes(values.only));
const results = new Map<string, Result[]>(cases.map(([name]) => [name, []]));
for (let round = 0; round < rounds; round += 1) {
  for (const [name, faults] of cases) results.get(name)?.push(await measure(faults()));
}
print(
  `| a server that … (${mails} mails, ${connections} connections, ${rtt} ms) | seconds | sessions | not sent |`,
  '| --- | --- | --- | --- |',
);
for (const [name, all] of results) {
  const of = (key: keyof Result) => median(all.map((one) => one[key]));
  print(`| ${name} | ${of('seconds').toFixed(1)} | ${of('sessions')} | ${of('notSent')} |`);
}
