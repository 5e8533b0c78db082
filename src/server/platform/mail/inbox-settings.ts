import { isLoopback } from './smtp/settings.ts';

/** The settings of a connection to the IMAP server. */
export interface InboxSettings {
  readonly host: string;
  readonly port: number;
  /** imaps://: TLS from the first byte. */
  readonly secure: boolean;
  /** Whether STARTTLS is required; false: plain text, on this machine alone. */
  readonly requireTls: boolean;
  readonly user: string;
  readonly password: string;
  readonly mailbox: string;
  /** The names of the folder for mails that were read, from the outermost on; null: they stay. */
  readonly done: readonly string[] | null;
  /** Names the mailbox in the database: the URL without its password. */
  readonly name: string;
}

/**
 * Reads INBOX_URL, INBOX_PASSWORD and INBOX_DONE.
 * @param url imaps://user@host:port/mailbox; its parts are percent-encoded
 */
export function readInbox(url: URL, password: string, done: string | null): InboxSettings {
  const secure = url.protocol === 'imaps:';
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 993 : 143),
    secure,
    requireTls: !secure && !isLoopback(url),
    user: decodeURIComponent(url.username),
    password,
    mailbox: decodeURIComponent(url.pathname.slice(1)),
    done: done?.split('/').map((name) => name.trim()) ?? null,
    name: url.href,
  };
}

const MISSING_PASSWORD_MESSAGE = 'INBOX_URL には INBOX_PASSWORD も必要です。';
/** Each mail would be moved to where it is, as a new one, without end. */
const SAME_FOLDER_MESSAGE = 'INBOX_DONE には、INBOX_URL とは別のフォルダーを設定してください。';

/** @returns the faults of the settings together */
export const inboxFault = ({ INBOX_URL, INBOX_PASSWORD, INBOX_DONE }: NodeJS.ProcessEnv): string[] => [
  ...(INBOX_URL !== undefined && INBOX_PASSWORD === undefined ? [MISSING_PASSWORD_MESSAGE] : []),
  ...(INBOX_DONE !== undefined && isMailboxOf(INBOX_URL, INBOX_DONE) ? [SAME_FOLDER_MESSAGE] : []),
];

const isMailboxOf = (url: string | undefined, folder: string): boolean =>
  url !== undefined &&
  URL.canParse(url) &&
  readInbox(new URL(url), '', null).mailbox.toLowerCase() === folder.trim().toLowerCase();
