import { describe, expect, test } from 'vitest';
import { pipeliningTrust } from './pipelining-trust.ts';

const DAY = 24 * 60 * 60_000;

/** A server that sends ahead, and has been proven. */
function proven(now: () => number = () => 0) {
  const trust = pipeliningTrust(now);
  trust.beginAhead().accept();
  const accept = (times: number) => {
    for (let n = 0; n < times; n += 1) trust.beginAhead().accept();
  };
  return { trust, accept };
}

describe('losses', () => {
  test('one envelope is tried at a time, until one was accepted', () => {
    const trust = pipeliningTrust(() => 0);
    const trial = trust.beginAhead();
    expect(trust.allowsAhead(1)).toBe(false);
    trial.drop();
    expect(trust.allowsAhead(1)).toBe(true);
    trust.beginAhead().accept();
    trust.beginAhead();
    expect(trust.allowsAhead(1)).toBe(true);
  });

  test('two in a row end sending ahead for a day', () => {
    let now = 0;
    const trust = pipeliningTrust(() => now);
    for (let trial = 0; trial < 2; trial += 1) {
      expect(trust.allowsAhead(1)).toBe(true);
      trust.beginAhead().lose();
    }
    expect(trust.allowsAhead(1)).toBe(false);
    now = DAY;
    expect(trust.allowsAhead(1)).toBe(true);
  });

  test.each([
    [499, false],
    [500, true],
  ])('so do two with %i accepted ones between them, of a proven server: %s', (between, allowed) => {
    const { trust, accept } = proven();
    trust.beginAhead().lose();
    accept(between);
    trust.beginAhead().lose();
    expect(trust.allowsAhead(1)).toBe(allowed);
  });

  test('a server that stops loses the envelopes of all connections at once: that is one loss', () => {
    const { trust } = proven();
    const ahead = Array.from({ length: 20 }, () => trust.beginAhead());
    for (const { lose } of ahead) lose();
    expect(trust.allowsAhead(1)).toBe(true);
    trust.beginAhead().lose();
    expect(trust.allowsAhead(1)).toBe(false);
  });
});

describe('ends of sessions', () => {
  test('a limit of the server never counts, and no envelope leaves ahead at it', () => {
    const { trust, accept } = proven();
    trust.endSession({ mails: 5, wasAhead: true });
    for (let sessions = 0; sessions < 10; sessions += 1) {
      expect([4, 5, 6].map(trust.allowsAhead)).toStrictEqual([true, false, true]);
      accept(4);
      trust.endSession({ mails: 5, wasAhead: false });
    }
  });

  test('a server that ends short sessions only at an envelope ahead breaks pipelining', () => {
    const { trust } = proven();
    for (let sessions = 0; sessions < 2; sessions += 1) {
      expect(trust.allowsAhead(2)).toBe(true);
      trust.endSession({ mails: 1, wasAhead: true });
      expect(trust.allowsAhead(1)).toBe(false);
      trust.continueSession(1);
    }
    expect(trust.allowsAhead(2)).toBe(false);
  });

  test.each([
    ['long sessions are worth their end', { mails: 10, wasAhead: true }],
    ['the end came without an envelope ahead', { mails: 1, wasAhead: false }],
  ])('ends here and there say nothing: %s', (_why, end) => {
    const { trust } = proven();
    for (let sessions = 0; sessions < 10; sessions += 1) {
      trust.endSession(end);
      trust.continueSession(end.mails);
      expect(trust.allowsAhead(end.mails)).toBe(true);
    }
  });
});
