import { describe, expect, test } from 'vitest';
import { isRejection } from './rejection.ts';

const ADDRESS = 'info@a.example';

describe('a refusal that the next list would meet again', () => {
  test.each([
    ['a blocklist', '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org'],
    ['a blocklist that blames the address', '550 5.1.1 listed at zen.spamhaus.org'],
    ['DMARC', '550-5.7.26 Unauthenticated email from b.example is not accepted'],
    ['content', '550 5.7.1 Message content rejected due to policy, spam'],
    ['no words', '550 5.7.1 denied'],
    ["a reader's settings", '550 5.2.0 受信拒否設定'],
    ['a group that takes its members only', '550 5.7.133 because the recipient is only accepting mail of its members'],
    ['a full mailbox', '552 5.2.2 <info@a.example> Mailbox full'],
    ['our envelope, as servers word it at RCPT', `550 5.1.8 <s@b.example>: Sender address rejected: not found`],
    ['a busy mailbox', '550 5.2.1 The user you are trying to contact is receiving mail too quickly'],
    ['a reason that nobody knows', '554 Transaction failed'],
    [
      'the limit of another server',
      '550 5.7.1 host mx.a.example[192.0.2.2] said: 550 5.7.1 message rate limit exceeded',
    ],
  ])('%s', (_, reply) => {
    expect(isRejection(reply, ADDRESS)).toBe(true);
  });
});

describe('no rejection', () => {
  test.each([
    ['an address that does not exist', '550 5.1.1 <info@a.example>: user unknown'],
    ['a domain that does not exist', '550 5.1.2 Host unknown: no such domain'],
    ['our quota', '550 5.4.5 Daily user sending quota exceeded'],
    ['our quota, by policy', '550 5.7.1 Limit of 1500 mails per hour exceeded'],
    ['the size', '552 5.3.4 Message size exceeds fixed limit'],
    ['the size in words', '550 message too large'],
    ['the content of this mail', '550 5.6.0 Lone CR or LF in headers'],
    ['our commands', '503 5.5.1 Error: need MAIL command'],
    ['our login', '530 5.7.0 Authentication required'],
  ])('%s', (_, reply) => {
    expect(isRejection(reply, ADDRESS)).toBe(false);
  });
});

test('words within the address do not make a reply a rejection', () => {
  expect(isRejection('550 5.7.1 <quota-limit@a.example> denied', 'quota-limit@a.example')).toBe(true);
});
