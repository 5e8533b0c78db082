import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { failureCause } from './failure-cause.ts';
import { causeText, FAILURE_CAUSE_TEXTS, FAILURE_CAUSES, type FailureCause } from './failure-cause-names.ts';

/** What servers say at the end of a dialogue or in a bounce; the addresses are invented. */
const SAMPLES: readonly (readonly [reply: string, expected: FailureCause, address?: string])[] = [
  ['550 5.1.1 <info@a.example>: Recipient address rejected: User unknown in virtual mailbox table', 'unknown_address'],
  ['550 <taro@ezweb.ne.jp>: User unknown', 'unknown_address', 'taro@ezweb.ne.jp'],
  ['550-5.1.1 The email account that you tried to reach does not exist. 550 5.1.1 NoSuchUser', 'unknown_address'],
  ['550 5.4.1 Recipient address rejected: Access denied.', 'unknown_address'],
  ['5.1.1 550 5.1.1 <spam@a.example>: User unknown', 'unknown_address', 'spam@a.example'],
  ['SendGrid: bounce (550 5.1.1 nobody)', 'unknown_address'],
  ['SendGrid: dropped (Bounced Address)', 'unknown_address'],
  ['宛先のユーザーが見つかりません', 'unknown_address'],
  [
    '550 5.1.2 <info@midori.example>... Host unknown (Name server: host not found)',
    'unknown_domain',
    'info@midori.example',
  ],
  ['553 5.1.3 http://www.spamhaus.org/query/bl?ip=192.0.2.22', 'spam'],
  ['5.2.1 550-5.2.1 The user you are trying to contact is receiving mail at a rate that', 'limit'],
  ['5.1.0 550 5.1.0 <sales@own.example> sender rejected: mailbox does not exist', 'sender_refused'],
  [
    '5.4.4 Host or domain name not found. Name service error for name=a.example type=AAAA: Host not found',
    'unknown_domain',
  ],
  [
    '4.4.3 Host or domain name not found. Name service error for name=a.example: Host not found, try again',
    'unknown_domain',
  ],
  ['550 : User unknown', 'sender_refused', 'taro@au.com'],
  ['550 5.2.1 Mailbox refuses this mail', 'sender_refused', 'taro@docomo.ne.jp'],
  ['553 bounce.example.co.jp does not exist (in reply to MAIL FROM command)', 'sender_refused'],
  ['550 5.7.1 rejected', 'sender_refused'],
  ['552 5.2.2 <info@a.example>: Mailbox is full', 'mailbox_full'],
  ['452 4.2.2 The recipient inbox is over quota', 'mailbox_full'],
  ['451 4.3.0 Temporary lookup failure', 'busy'],
  ['450 4.7.1 Greylisted, try again later', 'busy'],
  ['421 Service not available', 'busy'],
  ['SendGrid: bounce (421 not today)', 'busy'],
  ['421 4.7.0 Too many connections from your host', 'limit'],
  ['450 4.7.25 rate limit exceeded', 'limit'],
  ['550 5.7.1 daily sending limit exceeded', 'limit'],
  ['550 5.4.5 Daily user sending limit exceeded', 'limit'],
  ['550 5.7.1 Limit of 1500 mails per hour exceeded', 'limit'],
  ['450 4.7.1 <sre@example.com>: Sender address rejected: quota exceeded', 'limit', 'info@a.example'],
  ['4.4.1 connect to mx.a.example[192.0.2.1]:25: Connection timed out', 'unreachable'],
  ['4.4.2 lost connection with mx.a.example while receiving the initial server greeting', 'unreachable'],
  ['554 5.7.1 Service unavailable; blocked using zen.spamhaus.org', 'spam'],
  ['550 5.7.1 This message looks like spam', 'spam'],
  ['SendGrid: dropped (Spam Content)', 'spam'],
  ['550 5.7.26 This mail is unauthenticated, which poses a security risk', 'authentication'],
  [
    '550 5.7.515 Access denied, sending domain a.example does not meet the required authentication level',
    'authentication',
  ],
  ['550 5.7.1 rejected by DMARC policy', 'authentication'],
  ['552 5.3.4 Message size exceeds fixed limit', 'too_large'],
  ['Message size larger than allowed 60', 'too_large'],
  ['554 transaction failed', 'other'],
  ['SendGrid: dropped', 'other'],
];

test.each(SAMPLES.map(([reply, expected, address = 'info@a.example']) => [reply, expected, address] as const))(
  '%s',
  (reply, expected, address) => {
    expect(failureCause({ state: 'failed', reply, address })).toBe(expected);
  },
);

describe('the cause', () => {
  test('is every one of the twelve for some answer', () => {
    expect(new Set([...SAMPLES.map(([, cause]) => cause), 'connection_lost'])).toStrictEqual(new Set(FAILURE_CAUSES));
  });

  test('of a mail whose arrival is unknown is the lost connection, whatever was said', () => {
    expect(failureCause({ state: 'unknown', reply: '送信中に処理が途絶えました', address: null })).toBe(
      'connection_lost',
    );
    expect(failureCause({ state: 'unknown', reply: null, address: null })).toBe('connection_lost');
  });

  test.each(['sent', 'cancelled', 'sending'] as const)('is absent where nothing went wrong: %s', (state) => {
    expect(failureCause({ state, reply: '250 2.0.0 Message queued as 4F2A1', address: 'info@a.example' })).toBeNull();
  });

  test('is absent before the first answer', () => {
    expect(failureCause({ state: 'queued', reply: null, address: 'info@a.example' })).toBeNull();
  });

  test('is found for any text, without an address too', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 600 }), (reply) => {
        expect(FAILURE_CAUSES).toContain(failureCause({ state: 'failed', reply, address: null }));
      }),
    );
  });
});

describe('its text', () => {
  test('is the name of the cause', () => {
    expect(causeText('busy', '451 4.3.0')).toBe('相手のサーバーが混み合っています');
    expect(causeText('other', '554 transaction failed')).toBe('その他の理由です');
    expect(causeText(null, '250 ok')).toBe('');
  });

  test('is a Japanese answer itself where no cause is known', () => {
    const ours = 'メールサーバーに接続できませんでした。自動で再送します。';
    expect(causeText(failureCause({ state: 'queued', reply: ours, address: 'a@a.example' }), ours)).toBe(ours);
  });

  test.each(FAILURE_CAUSES)('says what to do: %s', (cause) => {
    const { name, advice } = FAILURE_CAUSE_TEXTS[cause];
    expect(name).not.toMatch(/。$/);
    expect(advice).toMatch(/。$/);
  });
});
