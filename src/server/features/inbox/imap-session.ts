import { setTimeout as sleep } from 'node:timers/promises';
import type { ImapFlow, SearchObject } from 'imapflow';
import type { InboxSettings } from '../../platform/mail/inbox-settings.ts';
import { type Dialog, dialogWith, InboxError, isRefusal } from './imap-dialog.ts';
import { MAIL_BYTES_MAX } from './inbox-mail.ts';

export interface FoundMail {
  readonly uid: number;
  /** Its beginning. */
  readonly source: Uint8Array;
}

/** An open mailbox. It changes by `moveDone` alone. */
export interface InboxSession {
  readonly uidValidity: number;
  /** Returns the first mails after a uid, in order; [] where the server says that there are none. */
  readonly mailsAfter: (uid: number) => Promise<readonly FoundMail[]>;
  /** Returns the uid before the first mail of a day or later. */
  readonly uidBefore: (since: Date) => Promise<number>;
  /** Resolves at a new mail, at the end of the time or at the signal. */
  readonly waitForMail: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Moves mails that were read to the folder for them; without one they stay. @returns false: the server refuses */
  readonly moveDone: (uids: readonly number[]) => Promise<boolean>;
  readonly close: () => void;
}

/** Mails of one answer: so many of the largest fit into memory. */
const MAILS_MAX = 20;
const CONNECT_MS_MAX = 30_000;
/** A server that was cut off says nothing. In milliseconds. */
const ANSWER_MS_MAX = 60_000;
/** Servers and firewalls drop connections that say nothing for long. */
const IDLE_MS_MAX = 4 * 60_000;

/**
 * Opens the mailbox.
 * @param stopping ends the opening at once: the server may be silent
 * @param answerMsMax after how many milliseconds without an answer a connection is dead
 * @throws InboxError
 */
export async function openInbox(
  settings: InboxSettings,
  stopping?: AbortSignal,
  answerMsMax = ANSWER_MS_MAX,
): Promise<InboxSession> {
  // Most programs read no mailbox, and start sooner without it.
  const imapflow = await import('imapflow');
  stopping?.throwIfAborted();
  const client = new imapflow.ImapFlow({
    host: settings.host,
    port: settings.port,
    secure: settings.secure,
    ...(!settings.secure && { doSTARTTLS: settings.requireTls }),
    auth: { user: settings.user, pass: settings.password },
    logger: false,
    disableAutoIdle: true,
    maxIdleTime: IDLE_MS_MAX,
    connectionTimeout: CONNECT_MS_MAX,
    greetingTimeout: CONNECT_MS_MAX,
  });
  // Each command reports the same fault; without a listener it would end the process.
  client.on('error', () => {});
  const server = dialogWith(client, answerMsMax);
  const { done } = settings;
  const close = () => client.close();
  stopping?.addEventListener('abort', close, { once: true });
  try {
    await server.answer(client.connect(), 'connection');
    if (done !== null) await makeFolder(client, server, done);
    const opened = await server.answer(client.mailboxOpen(settings.mailbox, { readOnly: done === null }), 'mailbox');
    if (!opened) throw server.fault('the mailbox was not opened');
    // Without it no uid holds for longer than this connection.
    if (opened.uidValidity === undefined) throw new InboxError('mailbox', new Error('the mailbox has no UIDVALIDITY'));
    return sessionOf(client, server, { ...opened, done });
  } catch (error) {
    close();
    throw error;
  } finally {
    stopping?.removeEventListener('abort', close);
  }
}

/** Makes the folder for mails that were read. Where the server refuses it, mails stay, and the reader logs that. */
async function makeFolder(client: ImapFlow, server: Dialog, done: readonly string[]): Promise<void> {
  try {
    await server.answer(client.mailboxCreate([...done]));
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
}

interface Opened {
  readonly uidValidity: bigint;
  /** The least uid of a mail that comes after the opening. */
  readonly uidNext?: number;
  readonly done: InboxSettings['done'];
}

function sessionOf(client: ImapFlow, server: Dialog, { uidValidity, uidNext = 1, done }: Opened): InboxSession {
  // A mail that comes during a command is announced at its end, and not again in IDLE.
  let hasNews = false;
  client.on('exists', () => {
    hasNews = true;
  });
  const found = (query: SearchObject) => findUids(client, server, query);
  return {
    uidValidity: Number(uidValidity),
    async mailsAfter(uid) {
      hasNews = false;
      for (let after = uid; ; ) {
        // `N:*` names the last mail too where N is above it.
        const uids = (await found({ uid: `${after + 1}:*` })).filter((one) => one > after).slice(0, MAILS_MAX);
        const last = uids.at(-1);
        if (last === undefined) return [];
        const mails = await readMails(client, server, uids);
        if (mails.length > 0) return mails;
        after = last;
      }
    },
    async uidBefore(since) {
      const [first] = await found({ since });
      return (first ?? uidNext) - 1;
    },
    async waitForMail(ms, signal) {
      // The next command finds that the connection is lost.
      if (hasNews || !client.usable) return;
      const { promise: arrived, resolve } = Promise.withResolvers<void>();
      const waited = new AbortController();
      client.on('exists', resolve).on('close', resolve);
      // The next command ends it. Its fault is that of the next command too.
      client.idle().catch(() => {});
      const ends = AbortSignal.any([signal, waited.signal]);
      await Promise.race([arrived, sleep(ms, undefined, { signal: ends }).catch(() => undefined)]);
      waited.abort();
      client.off('exists', resolve).off('close', resolve);
    },
    async moveDone(uids) {
      if (done === null || uids.length === 0) return true;
      const moved = await server.answer(client.messageMove([...uids], [...done], { uid: true }));
      if (moved) return true;
      if (server.hasRefused()) return false;
      throw server.fault('the mails were not moved');
    },
    close: () => client.close(),
  };
}

async function findUids(client: ImapFlow, server: Dialog, query: SearchObject): Promise<number[]> {
  const uids = await server.answer(client.search(query, { uid: true }));
  if (!Array.isArray(uids)) throw server.fault('the mailbox was not searched');
  return uids.toSorted((one, other) => one - other);
}

/**
 * Reads mails that a search has found. Those that are gone by now are left out.
 * @returns the mails before the first one that the server keeps back
 * @throws InboxError where it keeps the first one back
 */
async function readMails(client: ImapFlow, server: Dialog, uids: readonly number[]): Promise<FoundMail[]> {
  const sources = await fetchSources(client, server, uids);
  const kept = await firstLeft(
    client,
    server,
    uids.filter((uid) => !sources.has(uid)),
  );
  const mails = uids.flatMap((uid) => {
    const source = sources.get(uid);
    return source && uid < (kept ?? Infinity) ? [{ uid, source }] : [];
  });
  if (kept !== undefined && mails.length === 0) {
    throw new InboxError('other', new Error(`the server lists the mail with uid ${kept}, and does not return it`));
  }
  return mails;
}

/** Fetches the beginnings of mails. Where the server refuses one, those before it are returned. */
async function fetchSources(client: ImapFlow, server: Dialog, uids: readonly number[]): Promise<Map<number, Buffer>> {
  const sources = new Map<number, Buffer>();
  const rows = client.fetch([...uids], { source: { maxLength: MAIL_BYTES_MAX } }, { uid: true });
  try {
    // Each mail has the time of an answer: on a slow line all together take longer.
    for (let row = await server.answer(rows.next()); !row.done; row = await server.answer(rows.next())) {
      // A row without a source reports flags that another client has changed.
      if (row.value.source) sources.set(row.value.uid, row.value.source);
    }
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  return sources;
}

/** Returns the first of these mails that is still in the mailbox. */
async function firstLeft(client: ImapFlow, server: Dialog, uids: readonly number[]): Promise<number | undefined> {
  if (uids.length === 0) return undefined;
  // A server may list removed mails until then.
  await server.answer(client.noop());
  const [first] = await findUids(client, server, { uid: uids.join(',') });
  return first;
}
