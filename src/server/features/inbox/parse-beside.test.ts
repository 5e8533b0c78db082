import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { dsnMail, MAIL_KEY, RETURN_PATTERN, rawMail } from '#test/inbox-mails.ts';
import { NO_DNS } from '#test/no-dns.ts';
import { eventually } from '#test/sending.ts';
import { NO_ENVELOPE } from './inbox-mail.ts';
import { judgeBeside, openMailThread, type ParseParts, readBeside } from './parse-beside.ts';
import { beginParse, endParse, leaveParse } from './parse-tries.queries.ts';

/** Mails in a real thread; what the reader makes of its limits is tested in inbox-reader.test.ts. */

let database: TestDatabase;
const thread = openMailThread({ ms: 1500 });
afterAll(() => thread.close());

beforeEach(async () => {
  database = await emptyDatabase();
});

const partsOf = (more: Partial<ParseParts> = {}): ParseParts => ({
  db: database.service.db,
  thread,
  parse: { mailbox: 'imap://inbox', mail: '7:101', workerId: randomUUID() },
  stopping: new AbortController().signal,
  ...more,
});
const parses = () => database.db.selectFrom('inbox_parse').select(['mail', 'tries']).execute();
const TEST_MAIL = rawMail(
  [
    ['From', 'a@a.example'],
    ['Received', 'from a (a [160.16.0.1]) by b; now'],
  ],
  'x',
);

test('a test mail whose look takes too long is one that could not be judged, and the next mail is read', async () => {
  await thread.ready(new AbortController().signal);
  const judge = (dnsServers: readonly string[]) =>
    judgeBeside(partsOf(), { source: TEST_MAIL, domain: 'a.example', dnsServers });
  // Resolvers that say nothing are asked for two seconds.
  const silent = createSocket('udp4').bind(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  expect(await judge([`127.0.0.1:${silent.address().port}`])).toMatchObject([{ check: 'arrival', level: 'unknown' }]);
  expect(await parses()).toStrictEqual([]);
  const mail = { source: dsnMail(), pattern: RETURN_PATTERN, envelope: NO_ENVELOPE };
  const whole = await eventually(
    () => readBeside(partsOf(), mail),
    (read) => read?.why === null,
  );
  expect(whole).toMatchObject({
    mail: { kind: 'bounce', refs: [{ key: MAIL_KEY }, {}], hash: expect.any(Buffer) },
  });
});

test('a test mail is judged in the thread', async () => {
  const own = openMailThread();
  onTestFinished(() => own.close());
  const test = { source: TEST_MAIL, domain: 'a.example', dnsServers: NO_DNS.dnsServers };
  expect((await judgeBeside(partsOf({ thread: own }), test)).map(({ check }) => check)).toStrictEqual([
    'mail_spf',
    'mail_dkim',
    'mail_dmarc',
    'ptr',
  ]);
});

test('a mail whose header ends its process too is passed over without it', async () => {
  const { parse } = partsOf();
  const tries = ['7:101', '7:101 header'].map((mail) => ({ mailbox: parse.mailbox, mail, tries: 3 }));
  await database.db.insertInto('inbox_parse').values(tries).execute();
  const mail = { source: dsnMail(), pattern: RETURN_PATTERN, envelope: NO_ENVELOPE };
  expect(await readBeside(partsOf(), mail)).toStrictEqual({
    mail: { kind: 'ignored', why: 'unreadable' },
    why: expect.stringContaining('3 times'),
  });
});

test('a parse counts once for a process that lives, and again for each other one', async () => {
  const { db } = database.service;
  const [one, other] = [partsOf().parse, partsOf().parse];
  expect(await beginParse(db, one)).toBe(1);
  // The database was away at its end.
  expect(await beginParse(db, one)).toBe(1);
  // It lost its lease, or was killed.
  expect(await beginParse(db, other)).toBe(2);
  // It lives, and stops.
  await leaveParse(db, one, false);
  expect(await parses()).toStrictEqual([{ mail: '7:101', tries: 1 }]);
  // The thread of the other one ended.
  await leaveParse(db, other, true);
  expect(await beginParse(db, other)).toBe(2);
  await endParse(db, one);
  expect(await parses()).toStrictEqual([]);
});

test('attempts at mails that were not read again are deleted', async () => {
  const old = new Date(Date.now() - 31 * 86_400_000);
  await database.db.insertInto('inbox_parse').values({ mailbox: 'a', mail: '1:1', tries: 1, begun_at: old }).execute();
  await beginParse(database.service.db, partsOf().parse);
  expect(await parses()).toStrictEqual([{ mail: '7:101', tries: 1 }]);
});
