import { z } from 'zod';
import { parseMailAddress } from '#domain/mail/address.ts';
import { isReturnPattern } from '#domain/mail/return-address.ts';
import { url } from '../setting-values.ts';
import { isLoopback } from './smtp/settings.ts';

/**
 * What a server may send at once: imapflow holds it in memory, by default 2 GB. The largest are the header of a mail,
 * which servers limit far below, and the list of a million uids. Compressed, little could become as much.
 */
export const IMAP_LIMITS = {
  maxLineLength: 8 * 1024 * 1024,
  maxLiteralSize: 8 * 1024 * 1024,
  maxResponseSize: 9 * 1024 * 1024,
  disableCompression: true,
};

/** The settings of a connection to the IMAP server. */
export interface InboxSettings {
  readonly host: string;
  readonly port: number;
  /** imaps://: TLS from the first byte. */
  readonly secure: boolean;
  /** Whether STARTTLS is required; false: plain text, only on this machine. */
  readonly requireTls: boolean;
  readonly user: string;
  readonly password: string;
  readonly mailbox: string;
  /** The path of the folder for read mails, from the outermost name; null: they stay. */
  readonly done: readonly string[] | null;
  /** The mailbox's name in the database: the URL without its password. */
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
/** Each mail would be moved to the same mailbox as a new one, endlessly. */
const SAME_FOLDER_MESSAGE = 'INBOX_DONE には、INBOX_URL とは別のフォルダーを設定してください。';

/** @returns the faults of combined settings */
export const inboxFault = ({ INBOX_URL, INBOX_PASSWORD, INBOX_DONE }: NodeJS.ProcessEnv): string[] => [
  ...(INBOX_URL !== undefined && INBOX_PASSWORD === undefined ? [MISSING_PASSWORD_MESSAGE] : []),
  ...(INBOX_DONE !== undefined && isMailboxOf(INBOX_URL, INBOX_DONE) ? [SAME_FOLDER_MESSAGE] : []),
];

const isMailboxOf = (url: string | undefined, folder: string): boolean =>
  url !== undefined &&
  URL.canParse(url) &&
  readInbox(new URL(url), '', null).mailbox.toLowerCase() === folder.trim().toLowerCase();

const DONE_MESSAGE = 'INBOX_DONE は Kaitaku/Done のように、フォルダーの名前を / で区切ってください。';

/** The settings of the mailbox for bounces and replies, as in environment.ts. */
export const inboxEnvironment = {
  INBOX_URL: url('INBOX_URL', ['imap:', 'imaps:'], 'imaps://user@host/INBOX')
    .refine(({ pathname, username, password, search }) => !!username && !password && !search && pathname.length > 1, {
      error: 'INBOX_URL は imaps://user@host/INBOX の形にし、パスワードは INBOX_PASSWORD に設定してください。',
    })
    .optional()
    .describe(
      '`worker`: mailbox of bounces and answers, `imaps://user@host/INBOX` or `imap://` (STARTTLS). It is read, and ' +
        'never changed but for `INBOX_DONE`. Without it: none is read',
    ),
  INBOX_PASSWORD: z.string().min(1, 'INBOX_PASSWORD が空です。').optional().describe('of the user in `INBOX_URL`'),
  INBOX_DONE: z
    .string()
    .refine((text) => text.split('/').every((name) => /^[^\p{Cc}]+$/u.test(name.trim())), DONE_MESSAGE)
    .optional()
    .describe(
      'folder, such as `Kaitaku/Done`, to which mails of `INBOX_URL` are moved that were about mails of ours. ' +
        'Default: they stay',
    ),
  INBOX_AUTHSERV_ID: z
    .string()
    .regex(/^[A-Za-z0-9!#$%&'*+.^_`{|}~-]{1,255}$/, {
      error:
        'INBOX_AUTHSERV_ID は mx.example.co.jp のように、受信サーバーが Authentication-Results の先頭に書く名前にしてください。',
    })
    .optional()
    .describe(
      'name that the server of the inbox writes first in `Authentication-Results`, for servers that remove foreign ' +
        'fields with their name (RFC 8601 §5). It proves who wrote an answer. Default: no such field is believed',
    ),
  RETURN_ADDRESS: z
    .string()
    .refine((text) => isReturnPattern(text, (address) => parseMailAddress(address).ok), {
      error: 'RETURN_ADDRESS は b-{key}@bounce.example.co.jp の形にしてください（{key} は@の前に1つだけ）。',
    })
    .optional()
    .describe(
      'envelope sender of mails by SMTP, with `{key}` in place of the key of each: bounces come back to it, and ' +
        'must reach `INBOX_URL` or `kaitaku inbox take`. Default: the address of the sender',
    ),
};
