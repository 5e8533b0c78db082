import { z } from 'zod';
import { parseMailAddress } from '#domain/mail/address.ts';
import { isReturnPattern } from '#domain/mail/return-address.ts';
import { url } from '../setting-values.ts';

const DONE_MESSAGE = 'INBOX_DONE は Kaitaku/Done のように、フォルダーの名前を / で区切ってください。';

/** The settings of the mailbox that bounces and answers come back to, as in environment.ts. */
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
