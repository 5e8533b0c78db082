import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { ImapServer, type Loss } from '#test/imap-server.ts';
import { bouncedMails, countFailed, faultLog, startReader } from '#test/inbox-reading.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { eventually } from '#test/sending.ts';
import { openInbox } from './imap-session.ts';
import { leaseInbox, recordFault } from './inbox-row.queries.ts';
import { inboxFigures } from './inbox-state.queries.ts';

/** The inbox is read from a server that leaves: nothing is passed over, and the shown state is true. */

let database: TestDatabase;
let tenant: Tenant;
let server: ImapServer;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  server = await new ImapServer().start();
});

const row = () => database.db.selectFrom('inbox').selectAll().executeTakeFirst();

const PLACES = ['LOGIN', 'CREATE', 'SELECT', 'UID SEARCH SINCE', 'UID FETCH', 'UID MOVE', 'IDLE', 'UID SEARCH UID'];

/** The beginning of an answer, which is no answer. */
function beginningOf(place: string): string {
  if (place === 'UID SEARCH UID') return '* SEARCH\r\n';
  if (place === 'UID FETCH') return server.row(101) + server.row(102).slice(0, 300);
  return place === 'IDLE' ? '+ idling\r\n' : '';
}

/** Reads the server's mailbox. @returns the faults that are logged, and how to stop the reader */
function read(answerMsMax = 30_000): { readonly faults: string[]; readonly stop: () => Promise<void> } {
  const settings = server.settings({ done: ['Done'] });
  const { log, faults } = faultLog();
  const stop = startReader(database, {
    name: settings.name,
    open: (stopping) => openInbox(settings, stopping, answerMsMax),
    log,
    retryMs: 10,
    leaseEveryMs: 20,
    lookEveryMs: 100,
  });
  return { faults, stop };
}

test.each<Loss>(['FIN', 'RST', 'BYE', 'silence'])(
  'a server that leaves with %s at any command is asked again, and no mail is passed over',
  async (end) => {
    const left = new Set(PLACES);
    server.script = (command) => {
      const place = PLACES.find((one) => command.startsWith(one) && left.has(one));
      if (place === undefined) return undefined;
      left.delete(place);
      return { say: beginningOf(place), end };
    };
    const [first, second, ...later] = await bouncedMails(database, tenant, 5);
    server.add(101, first ?? expect.unreachable());
    server.add(102, second ?? expect.unreachable());
    const isSilent = end === 'silence';
    const { faults } = read(isSilent ? 500 : undefined);
    for (const [n, mail] of later.entries()) {
      await eventually(
        () => server.moved.length,
        (moved) => moved === n + 2,
      );
      server.add(103 + n, mail);
    }
    await eventually(
      () => left.size + server.mails.size,
      (open) => open === 0,
    );
    // The last one may be known a while after its command.
    await eventually(
      () => faults.length,
      (count) => count >= PLACES.length,
    );
    expect(await countFailed(database)).toBe(5);
    // On a slow machine an answer may also come too late.
    expect(isSilent ? faults.slice(0, PLACES.length) : faults).toStrictEqual(PLACES.map(() => 'connection'));
    expect(await eventually(row, (found) => found?.fault === null)).toMatchObject({ skipped: 0, unmatched: 0 });
    // A look is not repeated at once where the wait for a mail ends early.
    expect(server.commands.filter((command) => command.startsWith('UID SEARCH')).length).toBeLessThan(50);
  },
);

test.each(['LOGIN', 'SELECT', 'UID SEARCH SINCE', 'UID FETCH', 'UID MOVE', 'UID SEARCH UID'])(
  'a look that an orderly stop cuts at %s is neither a look nor a fault, and the next reader passes no mail over',
  async (place) => {
    const client = await clientOf(database, tenant.accountId);
    for (const [n, mail] of (await bouncedMails(database, tenant, 2)).entries()) server.add(101 + n, mail);
    server.script = (command) => (command.startsWith(place) ? { say: beginningOf(place), end: 'silence' } : undefined);
    const { faults, stop } = read();
    await eventually(
      () => server.commands.at(-1),
      (command) => command?.startsWith(place) === true,
    );
    await stop();
    expect(faults).toStrictEqual([]);
    expect(await row()).toMatchObject({ read_at: null, fault: null, skipped: 0, unmatched: 0 });
    const shown = { state: 'reading', last_read_at: null, fault: null };
    expect((await client.get('/inbox')).body).toMatchObject(shown);
    server.script = () => undefined;
    read();
    expect(await eventually(row, (found) => found?.read_at != null)).toMatchObject({ fault: null, skipped: 0 });
    expect({ failed: await countFailed(database), left: server.mails.size }).toStrictEqual({ failed: 2, left: 0 });
  },
);

test('a mailbox that was never read has waited since its first try, however often it is tried', async () => {
  const reader = { name: 'imap://never', workerId: randomUUID() };
  await leaseInbox(database.service.db, reader);
  await database.db
    .updateTable('inbox')
    .set({ since: new Date(Date.now() - 20 * 60_000) })
    .execute();
  await recordFault(database.service.db, reader, 'connection');
  const figures = await inboxFigures(database.service.db, reader.name);
  expect(figures?.secondsSinceRead).toBeGreaterThan(19 * 60);
});

test('a server that is gone after it closed a waiting connection is shown as a fault, and no look counts', async () => {
  const client = await clientOf(database, tenant.accountId);
  const { faults } = read();
  await eventually(
    () => server.commands.at(-1),
    (command) => command === 'IDLE',
  );
  const looked = (await row())?.read_at ?? expect.unreachable();
  server.stop();
  await eventually(
    () => faults.length,
    (count) => count > 3,
  );
  expect((await client.get('/inbox')).body).toMatchObject({ state: 'failing', fault: 'connection' });
  expect((await row())?.read_at).toStrictEqual(looked);
  expect(await inboxFigures(database.service.db, server.settings().name)).toMatchObject({ isFaulty: 1 });
  await server.start();
  await eventually(row, (found) => found?.fault === null);
  expect((await client.get('/inbox')).body).toMatchObject({ state: 'reading', fault: null });
  expect((await row())?.read_at?.getTime()).toBeGreaterThan(looked.getTime());
});
