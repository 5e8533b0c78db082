import { expect, test } from 'vitest';
import { outcomeOfFault, printable, type Stage } from './outcome.ts';

const fault = (response: string, command = 'DATA', code?: string) => ({
  message: 'failed',
  code,
  response,
  responseCode: Number(response.slice(0, 3)) || undefined,
  command,
});

const SEND_AS = {
  kind: 'sender-refused',
  reply: expect.stringMatching(/^この差出人で送る権限がありません。/),
};

test.each<[Stage, ReturnType<typeof fault>, object]>([
  ['connecting', fault('535 5.7.8 wrong password', 'AUTH'), { kind: 'transport', isLogInRefused: true }],
  ['connecting', fault('534-5.7.9 Application-specific password required', 'AUTH'), { isLogInRefused: true }],
  ['connecting', fault('550 5.7.139 SmtpClientAuthentication is disabled', 'AUTH'), { isLogInRefused: true }],
  [
    'envelope',
    fault('530 5.7.57 Client not authenticated to send mail', 'MAIL FROM'),
    { kind: 'transport', isLogInRefused: true },
  ],
  ['envelope', fault('530 5.7.0 Authentication required', 'MAIL FROM'), { kind: 'sender-refused' }],
  // The log-in may not use this From, whatever the command.
  ['envelope', fault('550 5.7.60 Client does not have permissions to send as this sender', 'MAIL FROM'), SEND_AS],
  ['handed-over', fault('554 5.2.252 SendAsDenied; a@k.example not allowed to send as b@k.example'), SEND_AS],
  ['handed-over', fault('550 5.7.60 SMTP; Client does not have permissions to send as this sender'), SEND_AS],
  ['handed-over', fault('554 STOREDRV.Submission.Exception:SendAsDeniedException.MapiExceptionSendAsDenied'), SEND_AS],
  ['handed-over', fault('550 5.7.133 SenderNotAuthenticatedForGroup'), { kind: 'failed' }],
  ['envelope', fault('550 5.1.1 mx.client.example said: 550 5.7.60 SendAsDenied', 'RCPT TO'), { kind: 'failed' }],
  ['connecting', fault('554 no service', 'CONN'), { kind: 'transport' }],
  ['envelope', fault('450 4.2.0 later', 'RCPT TO'), { kind: 'deferred' }],
  ['envelope', fault('550 5.1.1 unknown', 'RCPT TO'), { kind: 'failed', badAddress: true }],
  ['envelope', fault('550 5.2.1 disabled', 'RCPT TO'), { kind: 'failed', badAddress: true }],
  ['envelope', fault('550 5.7.1 blocked', 'RCPT TO'), { kind: 'failed', badAddress: false, isRejected: true }],
  // Servers say at RCPT TO what they have against the sender: another recipient would hear the same.
  [
    'envelope',
    fault('550 5.1.8 <b-0@k.example>: Sender address rejected: Domain not found', 'RCPT TO'),
    { kind: 'failed', badAddress: false },
  ],
  ['envelope', fault('550 5.1.7 bad sender', 'RCPT TO'), { kind: 'failed', badAddress: false }],
  ['envelope', fault('550 5.1.1 listed at zen.spamhaus.org', 'RCPT TO'), { kind: 'failed', badAddress: false }],
  ['envelope', fault('553 5.1.3 http://www.spamhaus.org/query/bl?ip=192.0.2.22', 'RCPT TO'), { badAddress: false }],
  [
    'envelope',
    fault(
      '550-5.2.1 The user you are trying to contact is receiving mail at a rate that\r\n550 5.2.1 prevents',
      'RCPT TO',
    ),
    { kind: 'failed', badAddress: false },
  ],
  ['envelope', fault('550 5.1.0 <b-0@k.example> sender rejected: no such user', 'RCPT TO'), { badAddress: false }],
  ['envelope', fault('550 User unknown', 'RCPT TO'), { kind: 'failed', badAddress: true }],
  ['handed-over', fault('550 5.1.1 User unknown'), { kind: 'failed', badAddress: true }],
  ['envelope', fault('550 5.11.1 odd', 'RCPT TO'), { kind: 'failed', badAddress: false }],
  ['envelope', fault('550 5.7.1 not you', 'MAIL FROM'), { kind: 'sender-refused' }],
  // Our quota, whatever the code and the command; at AUTH it is a fault of the login.
  ['envelope', fault('550 5.4.5 Daily sending quota exceeded', 'MAIL FROM'), { kind: 'limited', seconds: 86_400 }],
  ['envelope', fault('421 4.7.0 rate limit exceeded', 'RCPT TO'), { kind: 'limited', seconds: 3600 }],
  ['handed-over', fault('550 5.4.5 Daily user sending limit exceeded'), { kind: 'limited', seconds: 86_400 }],
  ['connecting', fault('454 4.7.0 daily limit of logins exceeded', 'AUTH'), { kind: 'transport' }],
  ['envelope', fault('552 5.2.2 mailbox over quota', 'RCPT TO'), { kind: 'failed', badAddress: false }],
  // A limit of connections.
  ['connecting', fault('421 4.7.0 Too many concurrent SMTP connections', 'CONN'), { kind: 'crowded' }],
  ['envelope', fault('451 4.7.1 too many simultaneous sessions', 'RCPT TO'), { kind: 'crowded' }],
  ['envelope', fault('450 host a said: 421 too many connections', 'RCPT TO'), { kind: 'deferred' }],
  ['envelope', fault('552 5.3.4 too big', 'MAIL FROM'), { kind: 'failed', badAddress: false }],
  ['envelope', fault('', 'MAIL FROM', 'EMESSAGE'), { kind: 'failed', badAddress: false }],
  ['envelope', fault('421 4.3.2 closing', 'RCPT TO'), { kind: 'dropped' }],
  ['handed-over', fault('421 4.3.2 closing'), { kind: 'deferred' }],
  ['envelope', fault('', 'CONN'), { kind: 'dropped' }],
  ['body', fault('', 'CONN'), { kind: 'deferred' }],
  ['handed-over', fault('', 'CONN'), { kind: 'unknown' }],
  ['handed-over', fault('452 4.3.1 full'), { kind: 'deferred' }],
  ['handed-over', fault('452 4.3.1 full', 'DATA', 'EMESSAGE'), { kind: 'deferred' }],
  ['handed-over', fault('554 5.7.1 spam'), { kind: 'failed', badAddress: false, isRejected: true }],
])('at stage %s: %o', (stage, error, expected) => {
  expect(outcomeOfFault(stage, error)).toMatchObject(expected);
});

test.each<[Stage, ReturnType<typeof fault>]>([
  ['envelope', fault('550 5.1.1 unknown', 'RCPT TO')],
  ['envelope', fault('552 no', 'MAIL FROM')],
  ['envelope', fault('', 'MAIL FROM', 'EMESSAGE')],
  ['handed-over', fault('552 5.3.4 too big')],
])('at stage %s no rejection by the recipient: %o', (stage, error) => {
  expect(outcomeOfFault(stage, error)).toStrictEqual({
    kind: 'failed',
    reply: error.response || error.message,
    badAddress: error.command === 'RCPT TO',
  });
});

test.each(['454 4.7.0 temporary failure', '550 5.7.1 blocked', '421 4.7.0 try again later'])(
  'before MAIL, %s is no refusal of the log-in',
  (response) => {
    expect(outcomeOfFault('connecting', fault(response, 'AUTH'))).toStrictEqual({ kind: 'transport', reply: response });
  },
);

test("a carrier's 5.2.1 is a filter of its reader, not the end of the mailbox", () => {
  const refused = fault('550 5.2.1 mailbox disabled', 'RCPT TO');
  expect(outcomeOfFault('envelope', refused, 'taro@docomo.ne.jp')).toMatchObject({ kind: 'failed', badAddress: false });
  expect(outcomeOfFault('envelope', refused, 'info@x.example.jp')).toMatchObject({ kind: 'failed', badAddress: true });
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

test("bad-inputs 126: a server's words are kept as one short line of text", () => {
  expect(printable(`550 no\r\n550-\u0007<script>${'x'.repeat(100_000)}`)).toMatch(/^550 no 550- <script>x+$/);
  expect(printable('x'.repeat(100_000))).toHaveLength(500);
});
