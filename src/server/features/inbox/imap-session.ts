import { setTimeout as sleep } from 'node:timers/promises';
import type { ImapFlow } from 'imapflow';
import type { InboxSettings } from '../../platform/mail/inbox-settings.ts';
import { MAIL_BYTES_MAX } from './inbox-mail.ts';
import type { InboxFault } from './inbox-row.queries.ts';

export interface FoundMail {
  readonly uid: number;
  /** Its beginning. */
  readonly source: Uint8Array;
}

/** An open mailbox. It changes by `moveDone` alone. */
export interface InboxSession {
  readonly uidValidity: number;
  /** Returns the first mails after a uid, in order; [] where there are none. */
  readonly mailsAfter: (uid: number) => Promise<readonly FoundMail[]>;
  /** Returns the uid before the first mail of a day or later. */
  readonly uidBefore: (since: Date) => Promise<number>;
  /** Resolves at a new mail, at the end of the time or at the signal. */
  readonly waitForMail: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Moves mails that were read to the folder for them; without one they stay. @returns whether it could */
  readonly moveDone: (uids: readonly number[]) => Promise<boolean>;
  readonly close: () => void;
}

/** A fault of the mailbox. Its message goes to the log alone: it may name machines. */
export class InboxError extends Error {
  readonly fault: InboxFault;
  constructor(fault: InboxFault, cause: unknown) {
    super((cause as Error).message, { cause });
    this.fault = fault;
  }
}

/** Mails of one answer: so many of the largest fit into memory. */
const MAILS_MAX = 20;
const CONNECT_MS_MAX = 30_000;
/** An answer that takes longer comes from a dead connection: a server that was cut off says nothing. */
const ANSWER_MS_MAX = 60_000;
/** Servers and firewalls drop connections that say nothing for long. */
const IDLE_MS_MAX = 4 * 60_000;

/** Opens the mailbox. @throws InboxError */
export async function openInbox(settings: InboxSettings): Promise<InboxSession> {
  // Most programs read no mailbox, and start sooner without it.
  const imapflow = await import('imapflow');
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
  try {
    await inTime(client, client.connect(), 'connection');
    const { done } = settings;
    // Where it cannot be made, mails stay, and the reader says so.
    if (done !== null)
      await inTime(
        client,
        client.mailboxCreate([...done]).catch(() => null),
        'connection',
      );
    const readOnly = done === null;
    const { uidValidity } = await inTime(client, client.mailboxOpen(settings.mailbox, { readOnly }), 'mailbox');
    return sessionOf(client, Number(uidValidity), done);
  } catch (error) {
    client.close();
    throw error;
  }
}

function sessionOf(client: ImapFlow, uidValidity: number, done: InboxSettings['done']): InboxSession {
  const found = async (query: object): Promise<number[]> => {
    const uids = await inTime(client, client.search(query, { uid: true }), 'connection');
    return Array.isArray(uids) ? uids.toSorted((one, other) => one - other) : [];
  };
  // A mail that comes during a command is announced at its end, and not again in IDLE.
  let hasNews = false;
  client.on('exists', () => {
    hasNews = true;
  });
  return {
    uidValidity,
    async mailsAfter(uid) {
      hasNews = false;
      // `N:*` names the last mail too where N is above it.
      const uids = (await found({ uid: `${uid + 1}:*` })).filter((one) => one > uid).slice(0, MAILS_MAX);
      if (uids.length === 0) return [];
      const query = { source: { maxLength: MAIL_BYTES_MAX } };
      const mails = await inTime(client, client.fetchAll(uids, query, { uid: true }), 'connection');
      const sources = new Map(mails.map((mail) => [mail.uid, mail.source]));
      // A mail that was removed meanwhile is empty: the cursor moves past it.
      return uids.map((one) => ({ uid: one, source: sources.get(one) ?? new Uint8Array() }));
    },
    async uidBefore(since) {
      const [first] = await found({ since });
      const status = client.mailbox ? client.mailbox.uidNext : 1;
      return (first ?? status) - 1;
    },
    async waitForMail(ms, signal) {
      if (hasNews || !client.usable) return;
      const { promise: arrived, resolve } = Promise.withResolvers<void>();
      client.on('exists', resolve).on('close', resolve);
      // The next command ends it. Its fault is that of the next command too.
      client.idle().catch(() => {});
      await Promise.race([arrived, sleep(ms, undefined, { signal }).catch(() => undefined)]);
      client.off('exists', resolve).off('close', resolve);
    },
    async moveDone(uids) {
      if (done === null || uids.length === 0) return true;
      const moved = client.messageMove([...uids], [...done], { uid: true });
      return Boolean(await inTime(client, moved, 'connection'));
    },
    close: () => client.close(),
  };
}

/** imapflow marks such an error, of whatever class it is. */
const isRefusedLogin = (error: unknown): boolean =>
  error instanceof Error && 'authenticationFailed' in error && error.authenticationFailed === true;

/** @throws InboxError where the server refuses, or does not answer in time */
async function inTime<Result>(client: ImapFlow, answer: Promise<Result>, fault: InboxFault): Promise<Result> {
  const timer = new AbortController();
  const late = sleep(ANSWER_MS_MAX, undefined, { signal: timer.signal, ref: false }).then(
    () => {
      client.close();
      throw new InboxError('connection', new Error(`no answer within ${ANSWER_MS_MAX} ms`));
    },
    () => answer,
  );
  try {
    return await Promise.race([answer, late]);
  } catch (error) {
    if (error instanceof InboxError) throw error;
    throw new InboxError(isRefusedLogin(error) ? 'login' : fault, error);
  } finally {
    timer.abort();
  }
}
