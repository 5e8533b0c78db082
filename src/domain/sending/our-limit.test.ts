import { describe, expect, test } from 'vitest';
import { namesConnectionLimit, ourLimitSeconds } from './our-limit.ts';

const RECIPIENT = 'taro@client.example';
const [MINUTE, HOUR, DAY] = [60, 3600, 86_400];

describe('a reply about our quota, rate or plan, and the time that it says', () => {
  test.each<[string, number]>([
    // Gmail, Google Workspace
    [
      '550 5.4.5 Daily user sending limit exceeded. For more information go to https://support.google.com/a/answer/166852 x1-y2.3 - gsmtp',
      DAY,
    ],
    ['550 5.4.5 Daily sending quota exceeded. v1-2.3 - gsmtp', DAY],
    [
      '550-5.4.5 Daily SMTP relay limit exceeded for customer. For more information on SMTP relay\n550 5.4.5 sending limits please go to https://support.google.com/a/answer/166852',
      DAY,
    ],
    ['550 5.7.1 Daily SMTP relay limit exceeded for user', DAY],
    ['550 5.4.5 You have reached a limit for sending mail. Your message was not sent.', HOUR],
    ['421 4.7.0 Our system has detected an unusual rate of mail; sending rate exceeded, try again later', MINUTE],
    ['421-4.7.28 rate limited. Please try again later', HOUR],
    [
      '421-4.7.28 Gmail has detected an unusual amount of mail originating from your account.\n421 4.7.28 Please visit https://support.google.com/mail/?p=UnsolicitedRateLimitError - gsmtp',
      HOUR,
    ],
    // Amazon SES
    ['454 Throttling failure: Daily message quota exceeded', DAY],
    ['454 4.7.0 Throttling failure: Maximum sending rate exceeded', MINUTE],
    // Microsoft 365
    ["550 5.1.90 Your message can't be sent because you've reached your daily limit for message recipients", DAY],
    ['550 5.7.705 Access denied, tenant has exceeded threshold', HOUR],
    [
      '554 5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException; the submission quota was exceeded',
      HOUR,
    ],
    ['550 5.2.2 Submission quota exceeded', HOUR],
    ['554 5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException; failed to process message', HOUR],
    ['452 4.3.1 Outgoing message limit reached for your mailbox', HOUR],
    ['550 5.1.90 Recipients not accepted', DAY],
    ['550 5.2.0 Sender exceeded the message submission rate', HOUR],
    ['554-5.2.0 The account sends at a rate that is not permitted', HOUR],
    // Hosting: cPanel and exim, policy servers of Postfix
    ['550 Domain example.com has exceeded the max emails per hour (150/150 (100%)) allowed.  Message discarded.', HOUR],
    ['451 4.7.1 Sender rate overlimit - 105.2 / 1h', HOUR],
    ['550 5.7.1 Limit of 1500 mails per hour exceeded', HOUR],
    ['450 4.7.1 <sre@example.com>: Sender address rejected: quota exceeded', HOUR],
    [
      '450 4.7.1 <taro@client.example>: Recipient address rejected: Policy Rejection: sending quota exceeded for your account',
      HOUR,
    ],
    ['450 4.7.1 <taro@client.example>: Recipient address rejected: Rate limit exceeded, retry in 1800 seconds', 1800],
    ['451 4.7.1 You have exceeded your message rate. Please try again in 5 minutes', 300],
    ['550 5.7.0 User sre has exceeded the limit of 500 messages per day', DAY],
    ['452 4.3.1 Too many messages sent, wait 20 seconds', MINUTE],
    ['450 4.7.1 Error: too much mail from 192.0.2.1', HOUR],
    ['452 4.5.3 Too many recipients received this hour', HOUR],
    ['452 4.7.1 Recipient limit exceeded: 10000 recipients per day', DAY],
    [
      '550 User has exceeded its 24-hour sending limit. Messages to 250 recipients out of 250 allowed have been sent.',
      DAY,
    ],
    ['450 Requested mail action not taken: mailbox unavailable, Mail send limit exceeded', HOUR],
    ['451 Ratelimit exceeded for mailbox sre@example.com. Try again later', HOUR],
    ['550 5.4.6 Unusual sending activity detected. Please try after sometime', HOUR],
    ['550 5.7.1 Outgoing messages limit exceeded', HOUR],
    [
      "550 5.7.232 Your message can't be sent because your trial tenant has exceeded its daily limit for sending email to external recipients",
      DAY,
    ],
    ['550 5.7.1 The email send limit for the domain has been reached', HOUR],
    ['450 4.7.3 Frequency limited', HOUR],
    // Plans
    ['403 You have exceeded your messaging limits', HOUR],
    ['452 4.3.1 Domain mg.example.com has exceeded its plan: monthly limit of 5000 messages', DAY],
    ['550 5.7.1 Your plan does not allow more mails this month: monthly quota exceeded', DAY],
    ['421 Maximum credits exceeded', DAY],
    ['550 Your account is out of credits', DAY],
    // Hosting in Japan
    ['550 5.7.1 1時間あたりの送信数の上限を超えました', HOUR],
    ['550 送信通数制限により送信できません', HOUR],
    ['550 送信宛先数の上限を超えました', HOUR],
    ['451 1日に送信できる件数の上限に達しました', DAY],
  ])('%s', (reply, seconds) => {
    expect(ourLimitSeconds(reply, RECIPIENT)).toBe(seconds);
  });
});

describe('no limit of ours', () => {
  test.each([
    // The recipient's mailbox is full or busy.
    '452 4.2.2 mailbox full',
    '550 5.2.2 <taro@client.example>: quota exceeded',
    '552 5.2.2 The email account that you tried to reach is over quota',
    '452 4.2.2 <taro@client.example>: Recipient address rejected: Mailbox quota exceeded',
    '450 4.7.1 <taro@client.example>: Recipient address rejected: quota exceeded',
    '550 5.7.1 taro@client.example has exceeded the limit of 500 messages per day',
    '450 4.2.1 The user you are trying to contact is receiving mail too quickly',
    '550-5.2.1 The user you are trying to contact is receiving mail at a rate that\n550 5.2.1 prevents additional messages from being delivered. - gsmtp',
    '550 メールボックスの容量が上限を超えています',
    '451 4.5.1 The recipient has exceeded their message rate limit. Try again later.',
    '552 5.2.2 mail quota exceeded',
    '452 4.2.2 Recipient mailbox: message rate limit',
    '450 4.2.0 This user has received too many messages, try again later',
    '450 4.7.1 Domain client.example receives too many messages per hour',
    '451 4.7.1 incoming mail rate limit for this domain exceeded',
    '450 4.2.1 Inbound rate limit exceeded',
    '421 4.7.0 too much mail for client.example',
    '550 5.7.1 宛先のサーバーの受信制限を超えました',
    // The words of a company's server.
    '550 5.4.5 host mx.client.example[192.0.2.1] said: 550 5.4.5 Daily user sending limit exceeded',
    '450 4.1.1 <taro@client.example>: Recipient address rejected: unverified address: host mx.client.example[192.0.2.1] said: 450 4.7.1 rate limit exceeded (in reply to RCPT TO command)',
    '550 5.7.1 Remote server returned: too many messages per hour',
    // This mail or this session alone.
    '552 5.3.4 Message size exceeds the limit of 10 MB per message',
    '452 4.5.3 Too many recipients',
    '421 4.7.0 Too many messages in this session',
    '451 too many messages per connection',
    // Something else.
    '421 4.7.0 Too many concurrent SMTP connections; please try again later.',
    '451 4.7.1 Greylisting in action, please come back in 5 minutes',
    '550 5.1.1 no such user',
    '550 5.7.1 Message rejected as spam by content filtering',
    '550 5.7.1 <sre@example.com>: Sender address rejected: not owned by user sre',
    // A full mailbox, and a group without outsiders, in Exchange's words.
    '554 5.2.0 STOREDRV.Deliver.Exception:QuotaExceededException; Failed to process message due to a permanent exception',
    '550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required; Delivery restriction check failed',
    '550 5.2.0 Recipient mailbox receives mail at a rate that is not permitted',
    // These codes alone.
    '421 4.7.0 Try again later',
    '450 4.7.1 Please try again later',
    '454 4.7.0 Temporary failure',
    '421 4.3.2 closing',
    '451 4.3.0 temporary local problem, please try again later',
    '454 4.7.0 Temporary authentication failure',
    '250 2.0.0 OK',
  ])('%s', (reply) => {
    expect(ourLimitSeconds(reply, RECIPIENT)).toBeNull();
  });
});

test.each([
  ['421 4.7.0 Too many concurrent SMTP connections; please try again later.', true],
  ['421 4.7.0 mail.example.com Error: too many connections from 192.0.2.1', true],
  ['432 4.3.2 Concurrent connections limit exceeded. Visit https://aka.ms/concurrent_sending', true],
  ['432 4.3.2 STOREDRV.ClientSubmit; sender thread limit exceeded', true],
  [
    '421 4.3.2 The maximum number of concurrent server connections has exceeded a limit, closing transmission channel',
    true,
  ],
  ['421 4.3.2 Connection rate limit exceeded.', true],
  ['451 4.7.1 Too many simultaneous sessions for this account', true],
  ['421 4.7.0 Error: too many new TLS sessions from 192.0.2.1', true],
  ['550 5.7.0 You have reached the maximum of 2 connections', true],
  ['421 同時接続数の上限を超えています', true],
  ['450 4.4.0 host mx.client.example said: 421 too many connections', false],
  ['421 4.7.0 Too many messages in this session', false],
  ['421 4.3.2 no service today', false],
  ['421 4.7.0 Too many errors', false],
  ['554 5.7.1 connection refused', false],
])('a limit of connections: %s → %s', (reply, expected) => {
  expect(namesConnectionLimit(reply)).toBe(expected);
});
