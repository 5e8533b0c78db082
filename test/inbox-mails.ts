import iconv from 'iconv-lite';

/** Whole mails as they arrive at the inbox, modelled on those of real servers and mail programs. */

export const RETURN_PATTERN = 'b-{key}@bounce.kaitaku.example';
export const MAIL_KEY = '0123456789abcdef0123456789abcdef';
export const MAIL_UUID = '11111111-2222-4333-8444-555555555555';
const MESSAGE_ID = `<${MAIL_UUID}@kaitaku.example>`;

type Field = readonly [name: string, value: string];

/** Joins a header and a body. A Buffer keeps its own charset. */
export const rawMail = (fields: readonly Field[], body: string | Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`${fields.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n`),
    Buffer.isBuffer(body) ? body : Buffer.from(body.replace(/\r?\n/g, '\r\n')),
  ]);

/** Encodes JIS X 0208 text as Japanese mail programs do. */
export function iso2022jp(text: string): Buffer {
  const parts = text.match(/[\0-\x7f]+|[^\0-\x7f]+/g) ?? [];
  return Buffer.concat(
    parts.map((part) => {
      if ((part.codePointAt(0) ?? 0) < 0x80) return Buffer.from(part);
      const shifted = iconv.encode(part, 'euc-jp').map((byte) => byte & 0x7f);
      return Buffer.concat([Buffer.from('\x1b$B'), shifted, Buffer.from('\x1b(B')]);
    }),
  );
}

interface DsnParts {
  readonly key?: string;
  /** The groups of fields about recipients; the group about the message is added. */
  readonly groups?: readonly string[];
  readonly returnPath?: string | null;
  /** The report's Arrival-Date. */
  readonly arrival?: string;
  readonly returned?: string;
  /** A part of its Message-ID. */
  readonly id?: string;
  readonly more?: readonly Field[];
}

/** Returns Postfix's group of fields for one recipient. */
export const postfixGroup = (address: string, status: string, diagnostic: string, action = 'failed'): string =>
  `Final-Recipient: rfc822; ${address}
Original-Recipient: rfc822;${address}
Action: ${action}
Status: ${status}
Remote-MTA: dns; mx.midori.example
Diagnostic-Code: ${diagnostic}`;

/** Builds a delivery status notification of Postfix. */
export function dsnMail({
  key = MAIL_KEY,
  groups = [],
  returnPath = '<>',
  arrival,
  returned,
  id = 'AAAA',
  more = [],
}: DsnParts = {}): Buffer {
  const to = `b-${key}@bounce.kaitaku.example`;
  return rawMail(
    [
      ...(returnPath === null ? [] : [['Return-Path', returnPath] as const]),
      ['X-Original-To', to],
      ['Delivered-To', 'inbox@kaitaku.example'],
      ['Date', 'Mon, 23 Nov 2026 10:00:00 +0900 (JST)'],
      ['From', 'MAILER-DAEMON@mx.kaitaku.example (Mail Delivery System)'],
      ['Subject', 'Undelivered Mail Returned to Sender'],
      ['To', to],
      ['Auto-Submitted', 'auto-replied'],
      ['MIME-Version', '1.0'],
      ['Content-Type', 'multipart/report; report-type=delivery-status; boundary="b1"'],
      ['Message-Id', `<20261123010000.${id}@mx.kaitaku.example>`],
      ...more,
    ],
    `This is a MIME-encapsulated message.

--b1
Content-Description: Notification
Content-Type: text/plain; charset=us-ascii

This is the mail system at host mx.kaitaku.example.

--b1
Content-Description: Delivery report
Content-Type: message/delivery-status

${[`Reporting-MTA: dns; mx.kaitaku.example\nX-Postfix-Queue-ID: AAAA${arrival ? `\nArrival-Date: ${arrival}` : ''}`, ...groups].join('\n\n')}

--b1
Content-Description: Undelivered Message
Content-Type: message/rfc822

${returned ?? returnedMail()}

--b1--
`,
  );
}

/** Builds the original mail that a report returns. */
export const returnedMail = (key = MAIL_KEY): string => `Return-Path: <b-${key}@bounce.kaitaku.example>
From: =?utf-8?B?5bGx55Sw?= <sales@kaitaku.example>
To: info@midori.example
Subject: =?utf-8?B?44GU5o+Q5qGI?=
Message-ID: ${MESSAGE_ID}
List-Unsubscribe: <https://kaitaku.example/u/${key}>

Body`;

/** Builds a person's reply, with or without the fields of a thread. */
export const replyMail = (body: string | Buffer, more: readonly Field[] = []): Buffer =>
  rawMail(
    [
      ['Return-Path', '<info@midori.example>'],
      ['Delivered-To', 'sales@kaitaku.example'],
      ['From', 'Midori <Info@Midori.example>'],
      ['To', 'sales@kaitaku.example'],
      ['Subject', 'Re: a proposal'],
      ['Message-ID', '<reply-1@midori.example>'],
      ['In-Reply-To', MESSAGE_ID],
      ['References', `<other@midori.example>\r\n ${MESSAGE_ID}`],
      ...more,
    ],
    body,
  );

/** Builds a qmail bounce: plain text, no report. @param received the topmost such field of the returned mail */
export const qmailBounce = (address: string, reason: string, key = MAIL_KEY, received?: string): Buffer =>
  rawMail(
    [
      ['Return-Path', '<>'],
      ['Delivered-To', `b-${key}@bounce.kaitaku.example`],
      ['From', 'MAILER-DAEMON@mx.midori.example'],
      ['To', `b-${key}@bounce.kaitaku.example`],
      ['Subject', 'failure notice'],
    ],
    `Hi. This is the qmail-send program at mx.midori.example.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<${address}>:
${reason}

--- Below this line is a copy of the message.

Return-Path: <b-${key}@bounce.kaitaku.example>
${received ? `Received: ${received}\n` : ''}Subject: our spam-free mailbox full of offers

Body
`,
  );

/** Builds the report of a recipient who marked a mail as spam (RFC 5965). */
export const complaintMail = (type: string, returned = returnedMail()): Buffer =>
  rawMail(
    [
      ['Return-Path', '<feedback@provider.example>'],
      ['From', 'feedback@provider.example'],
      ['To', 'abuse@kaitaku.example'],
      ['Subject', 'complaint'],
      ['Content-Type', 'multipart/report; report-type=feedback-report; boundary="b2"'],
    ],
    `--b2
Content-Type: text/plain

This is an email abuse report.

--b2
Content-Type: message/feedback-report

Feedback-Type: ${type}
User-Agent: Provider/1.0
Version: 1

--b2
Content-Type: text/rfc822-headers

${returned}

--b2--
`,
  );
