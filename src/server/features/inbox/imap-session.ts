import { setTimeout as sleep } from 'node:timers/promises';
import type { FetchMessageObject, FetchQueryObject, ImapFlow, SearchObject } from 'imapflow';
import { IMAP_LIMITS, type InboxSettings } from '../../platform/mail/inbox-settings.ts';
import type { Credentials } from '../../platform/mail/smtp/settings.ts';
import { type Dialog, dialogWith, InboxError, isRefusal } from './imap-dialog.ts';
import { MAIL_BYTES_MAX } from './inbox-mail.ts';

export interface FoundMail {
  readonly uid: number;
  /** The beginning of the mail. */
  readonly source: Uint8Array;
}

/** An open mailbox. Only `moveDone` changes it. */
export interface InboxSession {
  readonly uidValidity: number;
  /** Returns the first mails after a uid, in order; [] if the server reports none. */
  readonly mailsAfter: (uid: number) => Promise<readonly FoundMail[]>;
  /** Returns the uid before the first mail from a day on. */
  readonly uidBefore: (since: Date) => Promise<number>;
  /** Resolves at a new mail, at the timeout or at the signal. */
  readonly waitForMail: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Moves read mails to the done folder; without one they stay. @returns false: the server refuses */
  readonly moveDone: (uids: readonly number[]) => Promise<boolean>;
  readonly close: () => void;
}

/** The most mails of one fetch: as many of the largest fit into memory. */
const MAILS_MAX = 20;
const CONNECT_MS_MAX = 30_000;
/** The timeout of a response in milliseconds: a server that was cut off sends none. */
const ANSWER_MS_MAX = 60_000;
/** Servers and firewalls drop connections that are idle for longer. */
const IDLE_MS_MAX = 4 * 60_000;

/** Where a mailbox is, and what logs in there. */
export interface ImapPlace extends Pick<InboxSettings, 'host' | 'port' | 'secure' | 'requireTls' | 'mailbox' | 'done'> {
  readonly credentials: Credentials;
  /** The name in the server's certificate, if `host` is an address. */
  readonly servername?: string;
}

/** A mailbox that is open on a connection of its own. */
export interface OpenImap {
  readonly client: ImapFlow;
  readonly server: Dialog;
  readonly uidValidity: number;
  /** The lowest uid of a mail that arrives after the opening. */
  readonly uidNext: number;
}

/**
 * Opens the mailbox.
 * @param stopping aborts the opening at once: the server may not respond
 * @param answerMsMax a connection without a response for so many milliseconds is dead
 * @throws InboxError
 */
export async function openInbox(
  settings: InboxSettings,
  stopping?: AbortSignal,
  answerMsMax = ANSWER_MS_MAX,
): Promise<InboxSession> {
  const credentials = { user: settings.user, pass: settings.password };
  return sessionOf(await openImap({ ...settings, credentials }, stopping, answerMsMax), settings.done);
}

/** Connects to a server, logs in, and opens a mailbox, read-only if no mails are moved. @throws InboxError */
export async function openImap(
  settings: ImapPlace,
  stopping?: AbortSignal,
  answerMsMax = ANSWER_MS_MAX,
): Promise<OpenImap> {
  // Imported here: most processes read no mailbox, and start faster without it.
  const imapflow = await import('imapflow');
  stopping?.throwIfAborted();
  const client = new imapflow.ImapFlow({
    host: settings.host,
    port: settings.port,
    secure: settings.secure,
    ...(!settings.secure && { doSTARTTLS: settings.requireTls }),
    ...(settings.servername !== undefined && { servername: settings.servername }),
    auth: settings.credentials,
    logger: false,
    disableAutoIdle: true,
    ...IMAP_LIMITS,
    maxIdleTime: IDLE_MS_MAX,
    connectionTimeout: CONNECT_MS_MAX,
    greetingTimeout: CONNECT_MS_MAX,
  });
  // Each command reports the same fault. Without a listener the event would end the process.
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
    // Without uidValidity no uid is valid beyond this connection.
    if (opened.uidValidity === undefined) throw new InboxError('mailbox', new Error('the mailbox has no UIDVALIDITY'));
    return { client, server, uidValidity: Number(opened.uidValidity), uidNext: opened.uidNext ?? 1 };
  } catch (error) {
    close();
    throw error;
  } finally {
    stopping?.removeEventListener('abort', close);
  }
}

/** Makes the folder for read mails. If the server refuses, mails stay in the inbox, and the reader logs that. */
async function makeFolder(client: ImapFlow, server: Dialog, done: readonly string[]): Promise<void> {
  try {
    await server.answer(client.mailboxCreate([...done]));
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
}

function sessionOf({ client, server, uidValidity, uidNext }: OpenImap, done: InboxSettings['done']): InboxSession {
  const news = newsOf(client);
  const found = (query: SearchObject) => findUids(client, server, query);
  return {
    uidValidity,
    async mailsAfter(uid) {
      news.forget();
      for (let after = uid; ; ) {
        const uids = (await uidsAfter({ client, server }, after)).slice(0, MAILS_MAX);
        const last = uids.at(-1);
        if (last === undefined) return [];
        const mails = await readMails({ client, server }, uids);
        if (mails.length > 0) return mails;
        after = last;
      }
    },
    async uidBefore(since) {
      const [first] = await found({ since });
      return (first ?? uidNext) - 1;
    },
    waitForMail: news.wait,
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

/** Follows which mails arrive in an open mailbox. */
export function newsOf(client: ImapFlow) {
  // A mail that arrives during a command is announced at its end, and not again in IDLE.
  let hasNews = false;
  client.on('exists', () => {
    hasNews = true;
  });
  return {
    /** Called before the search that will find the mails so far. */
    forget(): void {
      hasNews = false;
    },
    /** Resolves at a new mail, at the timeout or at the signal. */
    async wait(ms: number, signal: AbortSignal): Promise<void> {
      // The next command detects that the connection is lost.
      if (hasNews || !client.usable) return;
      const { promise: arrived, resolve } = Promise.withResolvers<void>();
      const waited = new AbortController();
      client.on('exists', resolve).on('close', resolve);
      // The next command ends IDLE, and meets the same fault.
      client.idle().catch(() => {});
      const ends = AbortSignal.any([signal, waited.signal]);
      await Promise.race([arrived, sleep(ms, undefined, { signal: ends }).catch(() => undefined)]);
      waited.abort();
      client.off('exists', resolve).off('close', resolve);
    },
  };
}

type Connection = Pick<OpenImap, 'client' | 'server'>;

/** Returns the uids of the mails after one. `N:*` includes the last mail even if N is above it. */
export const uidsAfter = async ({ client, server }: Connection, uid: number): Promise<number[]> =>
  (await findUids(client, server, { uid: `${uid + 1}:*` })).filter((one) => one > uid);

export async function findUids(client: ImapFlow, server: Dialog, query: SearchObject): Promise<number[]> {
  const uids = await server.answer(client.search(query, { uid: true }));
  if (!Array.isArray(uids)) throw server.fault('the mailbox was not searched');
  return uids.toSorted((one, other) => one - other);
}

/** Reads the beginnings of mails that a search has found, as `readRows` does. */
export async function readMails(connection: Connection, uids: readonly number[]): Promise<FoundMail[]> {
  const rows = await readRows(connection, uids, { source: { maxLength: MAIL_BYTES_MAX } }, ({ source }) => source);
  return rows.map(([uid, source]) => ({ uid, source }));
}

/**
 * Reads a part of mails that a search has found, without those that are gone meanwhile.
 * @returns the parts before the first mail that the server does not return
 * @throws InboxError if that is the first of all
 */
export async function readRows<Part>(
  connection: Connection,
  uids: readonly number[],
  query: FetchQueryObject,
  partOf: (row: FetchMessageObject) => Part | undefined,
): Promise<(readonly [uid: number, part: Part])[]> {
  const parts = await fetchParts(connection, uids, query, partOf);
  const kept = await firstLeft(
    connection,
    uids.filter((uid) => !parts.has(uid)),
  );
  const rows = [...parts].filter(([uid]) => uid < (kept ?? Infinity)).toSorted(([one], [other]) => one - other);
  if (kept !== undefined && rows.length === 0) {
    throw new InboxError('other', new Error(`the server lists the mail with uid ${kept}, and does not return it`));
  }
  return rows;
}

/** Fetches parts of mails. If the server refuses one, those before it are returned. */
async function fetchParts<Part>(
  { client, server }: Connection,
  uids: readonly number[],
  query: FetchQueryObject,
  partOf: (row: FetchMessageObject) => Part | undefined,
): Promise<Map<number, Part>> {
  const parts = new Map<number, Part>();
  const wanted = new Set(uids);
  const rows = client.fetch([...uids], query, { uid: true });
  try {
    // Each mail has its own timeout: on a slow line all together take longer.
    for (let row = await server.answer(rows.next()); !row.done; row = await server.answer(rows.next())) {
      // A row without the part only reports flags that another client changed.
      const part = partOf(row.value);
      if (part && wanted.has(row.value.uid)) parts.set(row.value.uid, part);
    }
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  return parts;
}

/** Returns the first of these mails that is still in the mailbox. */
async function firstLeft({ client, server }: Connection, uids: readonly number[]): Promise<number | undefined> {
  if (uids.length === 0) return undefined;
  // Before a NOOP a server may still list removed mails.
  await server.answer(client.noop());
  const [first] = await findUids(client, server, { uid: uids.join(',') });
  return first;
}
