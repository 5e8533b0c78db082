import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ImapServer, type Turn } from '#test/imap-server.ts';
import type { InboxError } from './imap-dialog.ts';
import { type InboxSession, openInbox } from './imap-session.ts';

let server: ImapServer;

beforeEach(async () => {
  server = await new ImapServer().start();
});

async function open(more: Parameters<ImapServer['settings']>[0] = {}): Promise<InboxSession> {
  const session = await openInbox(server.settings(more), undefined, 5000);
  onTestFinished(session.close);
  return session;
}

/** Adds a mail that is its uid. */
const add = (...uids: number[]) => {
  for (const uid of uids) server.add(uid, Buffer.from(String(uid)));
};
const uidsOf = async (session: InboxSession, after = 0) => {
  const mails = await session.mailsAfter(after);
  expect(mails.map(({ source }) => Buffer.from(source).toString())).toStrictEqual(mails.map(({ uid }) => String(uid)));
  return mails.map(({ uid }) => uid);
};
/** Replaces the answers to one command, one after another. */
function answers(name: string, ...turns: (() => Turn | undefined)[]): void {
  server.script = (command) => (command.startsWith(name) ? turns.shift()?.() : undefined);
}
const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: InboxError) => error.fault,
  );

test('a mail that is announced at the end of a look is not waited for', async () => {
  add(1);
  const session = await open();
  expect(session.uidValidity).toBe(7);
  answers('UID SEARCH', () => ({ say: '* SEARCH 1\r\n* 2 EXISTS\r\n', end: 'OK' }));
  expect(await session.mailsAfter(1)).toStrictEqual([]);
  // Otherwise the test ends here by its own time.
  await session.waitForMail(3_600_000, new AbortController().signal);
});

describe('a mail that the server lists', () => {
  test('and then returns no source of is gone only where a later search does not list it', async () => {
    add(1, 2, 3);
    const session = await open();
    const without = (uid: number) => (): Turn => {
      const rows = [1, 2, 3].flatMap((one) => (one === uid ? [] : [server.row(one)]));
      return { say: rows.join(''), end: 'OK' };
    };
    answers('UID FETCH', without(2), () => {
      server.mails.delete(2);
      return { say: server.row(1) + server.row(3), end: 'OK' };
    });
    expect(await uidsOf(session)).toStrictEqual([1]);
    expect(await uidsOf(session)).toStrictEqual([1, 3]);
  });

  test('and does not return holds up the reading, as a fault, and is not passed over', async () => {
    add(1, 2);
    const session = await open();
    answers('UID FETCH', () => ({ say: '* 1 FETCH (UID 1 BODY[]<0> NIL)\r\n', end: 'OK' }));
    expect(await faultOf(session.mailsAfter(0))).toBe('other');
    expect(await uidsOf(session)).toStrictEqual([1, 2]);
  });

  test('is read though another client changes its flags meanwhile', async () => {
    add(1);
    const session = await open();
    answers('UID FETCH', () => ({ say: `${server.row(1)}* 1 FETCH (UID 1 FLAGS (\\Seen))\r\n`, end: 'OK' }));
    expect(await uidsOf(session)).toStrictEqual([1]);
  });

  test('and refuses does not take the mails before it along', async () => {
    add(1, 2);
    const session = await open();
    answers('UID FETCH', () => ({ say: server.row(1), end: 'NO' }));
    expect(await uidsOf(session)).toStrictEqual([1]);
  });

  test('and that is gone with all others of its answer does not hide those after them', async () => {
    const uids = Array.from({ length: 25 }, (_, n) => n + 1);
    add(...uids);
    const session = await open();
    answers('UID FETCH', () => {
      for (const uid of uids.slice(0, 20)) server.mails.delete(uid);
      return { end: 'OK' };
    });
    expect(await uidsOf(session)).toStrictEqual([21, 22, 23, 24, 25]);
  });
});

test.each(['UID SEARCH', 'NOOP'])('a refused %s is a fault, and no empty mailbox', async (name) => {
  add(1);
  const session = await open();
  server.script = (command) => {
    if (command.startsWith('UID FETCH')) return { end: 'OK' };
    return command.startsWith(name) ? { end: 'NO' } : undefined;
  };
  expect(await faultOf(session.mailsAfter(0))).toBe('other');
  expect(await faultOf(session.uidBefore(new Date()))).toBe(name === 'NOOP' ? 'none' : 'other');
});

test('mails that the server refuses to move stay; a folder that it refuses to make is no fault', async () => {
  add(1);
  server.script = (command) => (/^(?:CREATE|UID MOVE)/.test(command) ? { end: 'NO' } : undefined);
  const session = await open({ done: ['Done'] });
  expect(await session.moveDone([1])).toBe(false);
});

test.each([
  ['login', 'LOGIN'],
  ['mailbox', 'EXAMINE'],
] as const)('a refusal is a fault of the %s; a lost connection is none', async (fault, name) => {
  answers(name, () => ({ end: 'NO' }));
  expect(await faultOf(open())).toBe(fault);
  answers(name, () => ({ end: 'FIN' }));
  expect(await faultOf(open())).toBe('connection');
});

test('without UIDVALIDITY the mailbox cannot be read; without UIDNEXT it is read from its first mail', async () => {
  server.uidNext = null;
  const session = await open();
  answers('UID SEARCH', () => ({ say: '* SEARCH\r\n', end: 'OK' }));
  expect(await session.uidBefore(new Date())).toBe(0);
  server.uidValidity = null;
  expect(await faultOf(open())).toBe('mailbox');
});
