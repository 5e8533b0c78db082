import { isIP } from 'node:net';
import type { Credentials } from '../../platform/mail/smtp/settings.ts';
import { type Outbound, OutboundFault } from '../../platform/outbound/outbound.ts';
import { InboxError } from '../inbox/imap-dialog.ts';
import {
  type FoundMail,
  findUids,
  newsOf,
  type OpenImap,
  openImap,
  readMails,
  readRows,
  uidsAfter,
} from '../inbox/imap-session.ts';

/** The fields by which a mail is judged before anything else of it is read. */
const FIELDS = [
  'Message-ID',
  'In-Reply-To',
  'References',
  'From',
  'To',
  'Date',
  'Subject',
  'Auto-Submitted',
  'Content-Type',
  'Return-Path',
  'Delivered-To',
  'X-Failed-Recipients',
];

/** In bytes. The rest of longer fields is not read. */
const FIELDS_BYTES_MAX = 16 * 1024;

/** The fields of one mail. */
export interface FoundFields {
  readonly uid: number;
  readonly fields: Uint8Array;
  /** When the mailbox's server received the mail, in epoch milliseconds. */
  readonly receivedAt: number;
}

/** A member's open mailbox. Nothing in it changes. */
export interface MailboxSession {
  readonly uidValidity: number;
  /** Returns the uids of the mails after one, in order. */
  readonly uidsAfter: (uid: number) => Promise<readonly number[]>;
  /** Returns the uid before the first mail from a day on. */
  readonly uidBefore: (since: Date) => Promise<number>;
  /** Reads the fields of mails, in order, without those that are gone. */
  readonly fieldsOf: (uids: readonly number[]) => Promise<readonly FoundFields[]>;
  /** Reads the beginnings of mails. */
  readonly mailsOf: (uids: readonly number[]) => Promise<readonly FoundMail[]>;
  /** Resolves at a new mail, at the timeout or at the signal. */
  readonly waitForMail: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly close: () => void;
}

/** The port of IMAP by TLS. */
const IMAP_PORT = 993;

interface MailboxPlace {
  readonly host: string;
  readonly credentials: Credentials;
  /** Tests have another. */
  readonly port?: number;
}

/** Opens the mailbox of a member, by TLS to a checked address of its server. @throws InboxError */
export async function openMailboxSession(
  outbound: Outbound,
  { host, credentials, port = IMAP_PORT }: MailboxPlace,
  stopping?: AbortSignal,
): Promise<MailboxSession> {
  const address = await outbound.addressOf(host).catch((error: unknown) => {
    throw error instanceof OutboundFault ? new InboxError('connection', error) : error;
  });
  const place = { port, credentials, secure: true, requireTls: false, mailbox: 'INBOX', done: null };
  const named = isIP(host) ? {} : { servername: host };
  return mailboxSession(await openImap({ host: address, ...named, ...place }, stopping));
}

/** Of one question, in all: each part of its answer may take a minute, and a server may send many. */
const QUESTION_MS_MAX = 90_000;

/** Returns the session of an open mailbox. */
export function mailboxSession(open: OpenImap, questionMs = QUESTION_MS_MAX): MailboxSession {
  const { client, server, uidValidity, uidNext } = open;
  const news = newsOf(client);
  const close = () => client.close();
  const inTime = async <Result>(work: Promise<Result>): Promise<Result> => {
    const signal = AbortSignal.timeout(questionMs);
    signal.addEventListener('abort', close);
    try {
      return await work;
    } finally {
      signal.removeEventListener('abort', close);
    }
  };
  return {
    uidValidity,
    uidsAfter: (uid) => {
      news.forget();
      return inTime(uidsAfter(open, uid));
    },
    async uidBefore(since) {
      const [first] = await inTime(findUids(client, server, { since }));
      return (first ?? uidNext) - 1;
    },
    async fieldsOf(uids) {
      const query = { headers: FIELDS, internalDate: true };
      const rows = readRows(open, uids, query, ({ headers, internalDate }) => {
        if (!headers) return undefined;
        // A copy: a view would keep the whole header in memory.
        const fields = new Uint8Array(headers.subarray(0, FIELDS_BYTES_MAX));
        return { fields, receivedAt: instantOf(internalDate) };
      });
      return (await inTime(rows)).map(([uid, part]) => ({ uid, ...part }));
    },
    mailsOf: (uids) => inTime(readMails(open, uids)),
    waitForMail: news.wait,
    close,
  };
}

/** A mail whose server gives no date counts as new. */
const instantOf = (date: Date | string | undefined): number => {
  const instant = new Date(date ?? Number.NaN).getTime();
  return Number.isNaN(instant) ? Number.POSITIVE_INFINITY : instant;
};
