import { describe, expect, test } from 'vitest';
import { replyForAccount } from './account-reply.ts';
import { outcomeOfFault, printable, type Stage } from './outcome.ts';

const fault = (response: string, command = 'DATA', code?: string) => ({
  message: 'failed',
  code,
  response,
  responseCode: Number(response.slice(0, 3)) || undefined,
  command,
});

test.each<[Stage, ReturnType<typeof fault>, object]>([
  ['connecting', fault('535 5.7.8 wrong password', 'AUTH'), { kind: 'transport' }],
  ['connecting', fault('554 no service', 'CONN'), { kind: 'transport' }],
  ['envelope', fault('450 4.2.0 later', 'RCPT TO'), { kind: 'deferred' }],
  ['envelope', fault('550 5.1.1 unknown', 'RCPT TO'), { kind: 'failed', badAddress: true }],
  ['envelope', fault('550 5.2.1 disabled', 'RCPT TO'), { kind: 'failed', badAddress: true }],
  ['envelope', fault('550 5.7.1 blocked', 'RCPT TO'), { kind: 'failed', badAddress: false }],
  // Servers say at RCPT TO what they have against the sender: another recipient would hear the same.
  [
    'envelope',
    fault('550 5.1.8 <b-0@k.example>: Sender address rejected: Domain not found', 'RCPT TO'),
    { kind: 'failed', badAddress: false },
  ],
  ['envelope', fault('550 5.1.7 bad sender', 'RCPT TO'), { kind: 'failed', badAddress: false }],
  ['envelope', fault('550 5.1.1 listed at zen.spamhaus.org', 'RCPT TO'), { kind: 'failed', badAddress: false }],
  ['envelope', fault('550 5.11.1 odd', 'RCPT TO'), { kind: 'failed', badAddress: false }],
  ['envelope', fault('550 5.7.1 not you', 'MAIL FROM'), { kind: 'sender-refused' }],
  ['envelope', fault('552 5.3.4 too big', 'MAIL FROM'), { kind: 'failed', badAddress: false }],
  ['envelope', fault('', 'MAIL FROM', 'EMESSAGE'), { kind: 'failed', badAddress: false }],
  ['envelope', fault('421 4.3.2 closing', 'RCPT TO'), { kind: 'dropped' }],
  ['handed-over', fault('421 4.3.2 closing'), { kind: 'deferred' }],
  ['envelope', fault('', 'CONN'), { kind: 'dropped' }],
  ['body', fault('', 'CONN'), { kind: 'deferred' }],
  ['handed-over', fault('', 'CONN'), { kind: 'unknown' }],
  ['handed-over', fault('452 4.3.1 full'), { kind: 'deferred' }],
  ['handed-over', fault('452 4.3.1 full', 'DATA', 'EMESSAGE'), { kind: 'deferred' }],
  ['handed-over', fault('554 5.7.1 spam'), { kind: 'failed', badAddress: false }],
])('at stage %s: %o', (stage, error, expected) => {
  expect(outcomeOfFault(stage, error)).toMatchObject(expected);
});

test("a carrier's 5.2.1 is a filter of its reader, not the end of the mailbox", () => {
  const refused = fault('550 5.2.1 mailbox disabled', 'RCPT TO');
  expect(outcomeOfFault('envelope', refused, 'docomo.ne.jp')).toMatchObject({ kind: 'failed', badAddress: false });
  expect(outcomeOfFault('envelope', refused, 'x.example.jp')).toMatchObject({ kind: 'failed', badAddress: true });
});

test.each(['EMESSAGE', 'EENVELOPE'])(
  'what nodemailer refuses before it asks the server (%s) is refused for good',
  (code) => {
    const error = { message: 'Message size larger than allowed 100', code, command: 'MAIL FROM' };
    expect(outcomeOfFault('envelope', error)).toMatchObject({
      kind: 'failed',
      reply: error.message,
      badAddress: false,
    });
    // The same error codes where the server did answer, in a text that is no reply.
    expect(outcomeOfFault('envelope', { ...error, response: 'what?' })).toMatchObject({ kind: 'dropped' });
  },
);

describe('what an account reads', () => {
  test.each([
    ['transport', '535 5.7.8 bad login for operator@mail.example'],
    ['transport', 'connect ECONNREFUSED 10.1.2.3:587'],
    ['dropped', '421 4.7.0 operator@mail.example has sent too much'],
    ['unmarked', 'connect ECONNREFUSED 10.1.2.3:5432'],
    ['sender-refused', '530 5.7.0 log in as operator@mail.example first'],
    ['sender-refused', '550-5.7.8 operator@mail.example is unknown'],
    ['sender-refused', '553 5.7.1 <a@x.jp>: Sender address rejected: not owned by user operator@mail.example'],
    ['sender-refused', '550 5.7.1 Authentication required, operator@mail.example'],
    ['sender-refused', '553 5.7.1 not logged in as operator@mail.example'],
  ] as const)('of the way and the login (%s: %s) is a sentence of ours', (kind, reply) => {
    const shown = replyForAccount({ kind, reply });
    expect(shown).toMatch(/(?:ません?で|なりま)した。.*。$/);
    expect(shown).not.toMatch(/\d|[a-z]/i);
  });

  test.each([
    { kind: 'sender-refused', reply: '550 5.7.1 <a@x.jp>: sender blocked' },
    { kind: 'failed', reply: '550 5.1.1 no such user', badAddress: true },
    { kind: 'deferred', reply: '450 4.2.0 greylisted' },
    { kind: 'sent', reply: '250 queued' },
  ] as const)('of the mail is what the server said: %o', (outcome) => {
    expect(replyForAccount(outcome)).toBe(outcome.reply);
  });
});

test("bad-inputs 126: a server's words are kept as one short line of text", () => {
  expect(printable(`550 no\r\n550-\u0007<script>${'x'.repeat(100_000)}`)).toMatch(/^550 no 550- <script>x+$/);
  expect(printable('x'.repeat(100_000))).toHaveLength(500);
});
