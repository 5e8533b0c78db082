import { expect, test } from 'vitest';
import type { Outcome } from '../outcome.ts';
import { outcomesOf } from './outcome.ts';
import type { SendGridAnswer } from './request.ts';

type Fault = SendGridAnswer['errors'][number];
const fault = (field: string | null, message = 'no'): Fault => ({ field, message });
const answer = (status: number, errors: Fault[] = [], more: Partial<SendGridAnswer> = {}): SendGridAnswer => ({
  status,
  errors,
  messageId: null,
  retryAfter: null,
  rateReset: null,
  ...more,
});

test.each<[SendGridAnswer, Outcome]>([
  [answer(202, [], { messageId: 'abc' }), { kind: 'sent', reply: '202 x-message-id: abc' }],
  // The sandbox validates the mail and sends it to nobody.
  [answer(200), { kind: 'unknown', reply: '200' }],
  [answer(302), { kind: 'transport', reply: '302' }],
  [answer(400), { kind: 'failed', reply: '400', badAddress: false }],
  [answer(400, [fault('template_id')]), { kind: 'failed', reply: '400 no (template_id)', badAddress: false }],
  [answer(400, [fault(null, 'Bad Request')]), { kind: 'failed', reply: '400 Bad Request', badAddress: false }],
  [answer(400, [fault('personalizations')]), { kind: 'failed', reply: '400 no (personalizations)', badAddress: false }],
  [
    answer(400, [fault('personalizations.3.to')]),
    { kind: 'failed', reply: '400 no (personalizations.3.to)', badAddress: false },
  ],
  [answer(400, [fault('from.email')]), { kind: 'sender-refused', reply: '400 no (from.email)' }],
  [answer(401, [fault(null, 'revoked')]), { kind: 'transport', reply: '401 revoked' }],
  [answer(403, [fault('from', 'not verified')]), { kind: 'sender-refused', reply: '403 not verified (from)' }],
  [answer(403, [fault(null, 'access forbidden')]), { kind: 'transport', reply: '403 access forbidden' }],
  [answer(404), { kind: 'transport', reply: '404' }],
  [answer(413), { kind: 'failed', reply: '413', badAddress: false }],
  // Our rate or plan.
  [answer(429), { kind: 'limited', reply: '429', seconds: 60 }],
  [answer(429, [], { retryAfter: 7 }), { kind: 'limited', reply: '429', seconds: 7 }],
  [answer(429, [], { rateReset: 9 }), { kind: 'limited', reply: '429', seconds: 9 }],
  [
    answer(401, [fault(null, 'Maximum credits exceeded')]),
    { kind: 'limited', reply: '401 Maximum credits exceeded', seconds: 86_400 },
  ],
  [
    answer(403, [fault(null, 'You have exceeded your messaging limits')]),
    { kind: 'limited', reply: '403 You have exceeded your messaging limits', seconds: 3600 },
  ],
  [answer(500), { kind: 'unknown', reply: '500', isServerFault: true }],
  [answer(502), { kind: 'unknown', reply: '502', isServerFault: true }],
  [answer(503), { kind: 'unknown', reply: '503', isServerFault: true }],
  [answer(503, [], { retryAfter: 7 }), { kind: 'transport', reply: '503', pauseSeconds: 7 }],
  // Any answer of SendGrid may carry its rate reset, so it does not prove that this request was ignored.
  [answer(503, [], { rateReset: 9 }), { kind: 'unknown', reply: '503', isServerFault: true }],
  [answer(504), { kind: 'unknown', reply: '504', isServerFault: true }],
])('one fate for all mails of the request: %j', (given, expected) => {
  const outcomes = outcomesOf(given, 3);
  expect(outcomes).toStrictEqual([expected, expected, expected]);
  // One request is one fault of the transport, however many mails it holds.
  expect(new Set(outcomes).size).toBe(1);
});

test('the named mails have failed, the others are retried', () => {
  const invalid = fault('personalizations.1.to.0.email', 'Does not contain a valid address.');
  const copy = fault('personalizations.3.bcc.0.email', 'Does not contain a valid address.');
  const other = fault('personalizations.3.headers', 'reserved');
  expect(outcomesOf(answer(400, [invalid, copy, other]), 4)).toMatchObject([
    { kind: 'not-taken' },
    { kind: 'failed', reply: expect.stringContaining('valid address'), badAddress: true },
    { kind: 'not-taken' },
    { kind: 'failed', reply: expect.stringMatching(/bcc.*reserved/), badAddress: false },
  ]);
});

test('a fault of the whole request takes precedence over those of single mails', () => {
  const errors = [fault('personalizations.0.to.0.email'), fault('from.email')];
  expect(outcomesOf(answer(400, errors), 2)).toMatchObject([{ kind: 'sender-refused' }, { kind: 'sender-refused' }]);
});
