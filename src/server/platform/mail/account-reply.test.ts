import { describe, expect, test } from 'vitest';
import { replyForAccount } from './account-reply.ts';

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
