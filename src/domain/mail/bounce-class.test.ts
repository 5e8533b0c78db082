import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BounceClass, bounceClass, isStoppedByPolicy } from './bounce-class.ts';

type Sample = readonly [domain: string, status: string | null, text: string, expected: BounceClass];

/**
 * What servers are known to say, written from the public descriptions of their operators and of sending services.
 * The addresses are invented.
 */
const SAMPLES: Readonly<Record<string, readonly Sample[]>> = {
  'lawful 73: docomo': [
    ['docomo.ne.jp', '5.0.0', 'smtp; 550 Unknown user taro@docomo.ne.jp', 'hard'],
    ['docomo.ne.jp', '5.1.1', 'smtp; 550 Unknown user taro@docomo.ne.jp', 'hard'],
    ['docomo.ne.jp', '5.2.0', 'smtp; 550 Unknown user taro@docomo.ne.jp (in reply to end of DATA command)', 'filtered'],
    ['docomo.ne.jp', '5.2.1', 'smtp; 550 5.2.1 Mailbox refuses this mail', 'filtered'],
    ['docomo.ne.jp', '5.0.0', 'smtp; 552 Too much mail data taro@docomo.ne.jp', 'soft'],
    ['docomo.ne.jp', '5.0.0', 'smtp; 500 Line Too Long', 'mail'],
  ],
  'lawful 73: au': [
    ['ezweb.ne.jp', '5.0.0', 'smtp; 550 <taro@ezweb.ne.jp>: User unknown', 'hard'],
    ['au.com', '5.0.0', 'smtp; 550 : User unknown', 'filtered'],
    ['ezweb.ne.jp', null, 'Remote host said: 550 : User unknown', 'filtered'],
    ['au.com', null, 'smtp; 550: : User unknown', 'filtered'],
    ['au.com', '5.1.1', 'host mx.au.com said: 550 5.1.1 : User unknown (in reply to RCPT TO)', 'filtered'],
    ['au.com', '5.1.1', '550 5.1.1 550 :: User unknown', 'filtered'],
    ['au.com', '5.1.1', '550-5.1.1 <>: User unknown', 'filtered'],
    ['au.com', '5.1.1', '550 5.1.1 User unknown', 'hard'],
    ['au.com', '5.2.0', 'smtp; 550 5.2.0 refused', 'filtered'],
  ],
  SoftBank: [
    ['i.softbank.jp', '5.0.0', 'smtp; 550 Invalid recipient: <taro@i.softbank.jp>', 'hard'],
    ['softbank.ne.jp', '5.2.0', 'smtp; 550 5.2.0 Message filtered', 'filtered'],
    [
      'softbank.ne.jp',
      '5.0.0',
      'smtp; 553 bounce.example.co.jp does not exist (in reply to MAIL FROM command)',
      'policy',
    ],
    ['jcom.home.ne.jp', '5.0.0', 'smtp; 553 sales.example.co.jp does not exist', 'policy'],
  ],
  OCN: [
    ['ocn.ne.jp', '5.1.1', 'smtp; 550 5.1.1 <info@midori.ocn.ne.jp>: User unknown', 'hard'],
    ['ocn.ne.jp', '5.2.2', 'smtp; 552 5.2.2 <info@midori.ocn.ne.jp>: Mailbox is full', 'soft'],
    ['ocn.ne.jp', '5.0.0', 'smtp; 550 Recipient mailbox quota exceeded', 'soft'],
    ['sphere.ne.jp', '5.7.1', "smtp; 550 can't accept user... (#5.7.1)", 'hard'],
    ['point.ne.jp', null, 'Reason: < info@midori.point.ne.jp > ...User unknown', 'hard'],
  ],
  さくら: [
    ['midori.sakura.ne.jp', '5.1.1', 'smtp; 550 5.1.1 <info@midori.sakura.ne.jp>... User unknown', 'hard'],
    [
      'midori.example',
      '5.1.2',
      '550 5.1.2 <info@midori.example>... Host unknown (Name server: host not found)',
      'hard',
    ],
    ['midori.sakura.ne.jp', '4.4.7', '451 <info@midori.sakura.ne.jp>... Name server timeout', 'soft'],
    ['midori.sakura.ne.jp', '5.7.1', 'smtp; 554 5.7.1 Service unavailable; blocked using zen.spamhaus.org', 'policy'],
  ],
  Xserver: [
    [
      'midori.co.jp',
      '5.1.1',
      'smtp; 550 5.1.1 <info@midori.co.jp>: Recipient address rejected: User unknown in virtual mailbox table',
      'hard',
    ],
    [
      'midori.co.jp',
      '5.2.2',
      'maildir delivery failed: "Sorry, the user\'s maildir has overdrawn his diskspace"',
      'soft',
    ],
    [
      'midori.co.jp',
      '5.7.1',
      'smtp; 554 5.7.1 <info@midori.co.jp>: Recipient address rejected: Access denied',
      'policy',
    ],
  ],
  Exchange: [
    [
      'midori.co.jp',
      '5.1.10',
      'smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
      'hard',
    ],
    ['midori.co.jp', '5.1.1', '#550 5.1.1 RESOLVER.ADR.RecipNotFound; not found ##', 'hard'],
    ['midori.co.jp', '5.4.1', 'smtp; 550 5.4.1 Recipient address rejected: Access denied. AS(201806281)', 'hard'],
    ['midori.co.jp', '5.2.2', '554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException', 'soft'],
    ['midori.co.jp', '4.4.7', '550 4.4.7 QUEUE.Expired; message expired', 'soft'],
    ['midori.co.jp', '5.7.1', '550 5.7.1 RESOLVER.RST.AuthRequired; authentication required', 'filtered'],
    ['midori.co.jp', '5.7.1', '550 5.7.1 RESOLVER.RST.NotAuthorized; not authorized', 'filtered'],
    ['midori.co.jp', '5.7.133', '550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup', 'filtered'],
    ['midori.co.jp', '5.7.134', 'smtp;550 5.7.134 sender was not authenticated for mailbox', 'filtered'],
    ['midori.co.jp', '5.7.129', '550 5.7.129 refused', 'filtered'],
    ['midori.co.jp', null, 'smtp; 550 5.7.193 UserNotFoundForGroup; access denied', 'filtered'],
    ['midori.co.jp', '5.7.124', "550 5.7.124 the sender isn't in the recipient's allowed-senders list", 'filtered'],
    ['midori.co.jp', '5.7.1', "550 5.7.1 You don't have permission to send to this recipient.", 'filtered'],
    // Its neighbours are about us.
    ['midori.co.jp', '5.7.1', '550 5.7.1 Client host rejected: not authenticated', 'policy'],
    ['midori.co.jp', '5.7.57', '530 5.7.57 SMTP; Client was not authenticated', 'policy'],
    ['midori.co.jp', '5.7.509', '550 5.7.509 Access denied, sending domain does not pass DMARC', 'policy'],
    ['midori.co.jp', '5.7.1', '550 5.7.1 RESOLVER.RST.SendSizeLimit.Org; message too large', 'policy'],
    ['midori.co.jp', '5.2.0', '554 5.2.0 STOREDRV.Deliver.Exception:QuotaExceededException; failed', 'soft'],
    ['midori.co.jp', '5.2.0', '554 5.2.0 MapiExceptionShutoffQuotaExceeded', 'soft'],
    ['midori.co.jp', '5.2.0', '554 5.2.0 STOREDRV.Submit; SubmissionQuotaExceededException', 'policy'],
    ['midori.co.jp', '5.2.3', '550 5.2.3 RESOLVER.RST.RecipSizeLimit; message too large for this recipient', 'mail'],
    ['midori.co.jp', null, '宛先 info@midori.co.jp が見つかりませんでした。', 'hard'],
    ['midori.co.jp', '5.0.0', "Your message couldn't be delivered. info wasn't found at midori.co.jp.", 'hard'],
  ],
  qmail: [
    ['midori.jp', null, 'Sorry, no mailbox here by that name. (#5.1.1)', 'hard'],
    ['midori.jp', null, "Sorry, I couldn't find any host named midori.jp. (#5.1.2)", 'hard'],
    ['midori.jp', null, 'user is over quota', 'soft'],
    ['midori.jp', null, "Recipient's mailbox is full, message returned to sender. (#5.2.2)", 'soft'],
    [
      'midori.jp',
      null,
      "I'm not going to try again; this message has been in the queue too long. (#4.4.1) 192.0.2.5.1.1 said",
      'soft',
    ],
    [
      'midori.jp',
      null,
      '10.10.10.10 does not like recipient. Remote host said: 550 Unknown user Giving up on 10.10.10.10.',
      'hard',
    ],
  ],
  Gmail: [
    [
      'gmail.com',
      '5.1.1',
      'smtp; 550-5.1.1 The email account that you tried to reach does not exist. For more information, go to ' +
        'https://support.google.com/mail/?p=NoSuchUser&hl=spam - gsmtp',
      'hard',
    ],
    ['gmail.com', '5.2.1', 'smtp; 550 5.2.1 The email account that you tried to reach is disabled.', 'hard'],
    ['gmail.com', '4.2.2', "smtp; 452-4.2.2 The recipient's inbox is out of storage space.", 'soft'],
    [
      'gmail.com',
      '5.7.26',
      'smtp; 550-5.7.26 Your email has been blocked because the sender is unauthenticated.',
      'policy',
    ],
    ['gmail.com', '4.7.28', 'smtp; 421-4.7.28 Gmail has detected an unusual rate of unsolicited mail', 'policy'],
    ['gmail.com', '5.7.1', 'smtp; 550-5.7.1 Our system has detected that this message is likely suspicious', 'policy'],
    ['gmail.com', '5.3.4', 'smtp; 552-5.3.4 Your message exceeded our message size limits', 'mail'],
  ],
  'Outlook.com': [
    ['outlook.jp', '5.5.0', 'smtp; 550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).', 'hard'],
    [
      'hotmail.com',
      '5.7.15',
      'smtp; 550 5.7.15 Access denied, sending domain does not meet the required level',
      'policy',
    ],
    [
      'outlook.com',
      '5.7.1',
      'smtp; 550 5.7.1 Unfortunately, messages from [192.0.2.1] were not sent. Part of their network is on our block ' +
        'list (S3140).',
      'policy',
    ],
  ],
  'Yahoo! JAPAN': [
    ['yahoo.co.jp', '5.0.0', "smtp; 554 delivery error: dd This user doesn't have a yahoo.co.jp account [-5]", 'hard'],
  ],
  Exim: [
    ['midori.jp', null, 'info@midori.jp\n    Unrouteable address', 'hard'],
    ['midori.jp', '5.0.0', 'smtp; 550 No such local user here', 'hard'],
    ['midori.jp', '5.0.0', 'smtp; 550 Unknown local part info in <info@midori.jp>', 'hard'],
    ['midori.jp', null, 'info@midori.jp\n    mailbox is full: retry timeout exceeded', 'soft'],
  ],
  Postfix: [
    [
      'nowhere.example',
      '5.4.4',
      'X-Postfix; Host or domain name not found. Name service error for name=nowhere.example type=AAAA: Host not found',
      'hard',
    ],
    ['midori.jp', '4.4.1', 'X-Postfix; connect to mx.midori.jp[192.0.2.1]:25: Connection timed out', 'soft'],
    ['midori.jp', '5.4.6', 'X-Postfix; mail for midori.jp loops back to myself', 'mail'],
    ['midori.jp', '5.1.8', 'smtp; 550 5.1.8 <b-0@bounce.example>: Sender address rejected: Domain not found', 'policy'],
    ['midori.jp', '5.0.0', 'smtp; 554 Message rejected due to content filter', 'policy'],
    ['midori.jp', '5.0.0', 'smtp; 552 Message size limit exceeded', 'mail'],
    ['midori.jp', '5.6.0', 'smtp; 550 5.6.0 Lone CR or LF in body', 'mail'],
  ],
};

/** Returns the address that a sample names at the domain, or any there. */
const recipientIn = (text: string, domain: string): string =>
  text.match(/[\w.-]+@[\w.-]+\w/g)?.find((address) => address.endsWith(domain)) ?? `info@${domain}`;

describe('the class of a bounce', () => {
  for (const [server, samples] of Object.entries(SAMPLES)) {
    test.each(samples)(`${server}: %s %s %s`, (domain, status, text, expected) => {
      expect(bounceClass({ status, text, recipients: [recipientIn(text, domain)] })).toBe(expected);
    });
  }

  describe('words go before codes', () => {
    const NOW = [
      '550-5.2.1 The user you are trying to contact is receiving mail at a rate that 550 5.2.1 prevents additional',
      '550 5.2.1 receiving mail at a rate that prevents https://support.google.com/mail/?p=ReceivingRatePerm - gsmtp',
      '550 5.1.1 Too many messages for this recipient',
      '550 5.2.122 The recipient has exceeded their limit for the number of messages they can receive per hour',
      '550 5.1.1 Recipient address rejected: Greylisted, User unknown',
      '550 5.1.1 <info@a.example>: User unknown, try again later',
      '550 5.1.2 Host unknown: SERVFAIL',
      '5.4.4 Name service error for name=a.example type=MX: Malformed or unexpected name server reply',
      '5.4.4 Host or domain name not found. Name service error for name=a.example type=MX: Host not found, try again',
      '5.1.2 DNS lookup failed',
      '550 5.1.1 mailbox temporarily disabled',
      '550 5.4.316 Message expired, connection refused(Socket error code 10061)',
      '550 5.4.312 Message expired, DNS query failed',
      '550 5.1.1 一時的に受信できません。しばらくしてから再度お試しください。',
    ];
    test.each(NOW)('of the moment: %s', (text) => {
      expect(bounceClass({ status: null, text, recipients: ['info@a.example'] })).toBe('soft');
    });

    const US = [
      '553 5.1.3 http://www.spamhaus.org/query/bl?ip=192.0.2.22',
      '550 5.1.1 User unknown, see https://rbl.midori.example/why',
      "5.1.0 - Unknown address error 550-'5.7.1 <b-0@own.example>... Access denied' (delivery attempts: 0)",
      "5.1.0 - Unknown address error 554-'spam message rejected'",
      '550 5.1.0 <sales@own.example> sender rejected: mailbox does not exist',
      '550 5.1.1 Could not verify sender: user unknown',
      '550 5.1.1 Sender verify failed, no such user here',
      '550-Verification failed for <b-0@own.example> 550-No such user here 550 Sender verify failed',
      '550 5.1.1 Sender address does not exist',
      '550 5.1.2 Domain of sender address b-0@own.example does not exist',
      '553 5.1.1 unknown sender, mailbox not found',
      '550 5.1.1 User unknown (blocked for policy reasons)',
      '550 5.1.351 Remote server returned unknown recipient or mailbox unavailable -> 550 5.7.1 blocked as spam',
      '550 5.1.1 差出人のメールアドレスが存在しません',
      '550 5.2.2 Submission quota exceeded',
      '554 5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException; failed to process message',
      '550 <mail.own.example>: Helo command rejected: Host not found',
      '550 Invalid HELO: host unknown',
      '550 EHLO argument does not match; domain not found',
      '550 Sending domain does not exist',
      '550 The sending domain could not be found: no such domain',
      '550 Your domain does not exist or has no MX',
      '550 cannot resolve your hostname: host not found',
      '550 your host name does not exist in DNS',
      '550 Your account has been suspended',
      '550 5.1.1 Sender account has been disabled',
      '550 SMTP account disabled',
      '550 message content not allowed, mailbox unavailable',
    ];
    test.each(US)('about us: %s', (text) => {
      expect(bounceClass({ status: null, text, recipients: ['info@a.example'] })).toBe('policy');
    });

    test('a status of a dead address is as weak as a code', () => {
      const words = { status: '5.1.1', recipients: ['info@a.example'] };
      expect(bounceClass({ ...words, text: '554 5.7.1 rejected' })).toBe('policy');
      expect(bounceClass({ ...words, text: '550 5.1.1 受信拒否設定のため届きません' })).toBe('filtered');
      expect(bounceClass({ ...words, text: '550 5.1.1 rejected' })).toBe('hard');
    });
  });

  describe('a dead address', () => {
    test.each([
      '550 5.1.351 Remote server returned unknown recipient or mailbox unavailable -> 550 <info@a.example>: no mailbox here',
      '550 5.1.351 Remote server returned unknown recipient or mailbox unavailable -> 550 5.1.1 nobody',
      '550 5.1.350 Remote server returned invalid recipient address',
      '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient info@a.example not found by SMTP address lookup',
      '550 5.4.310 DNS domain a.example does not exist [Message=InfoDomainNonexistent]',
      "5.1.0 - Unknown address error 550-'5.1.1 <info@a.example>: mailbox not found'",
      'ユーザー TANAKA (info@a.example) は Domino ディレクトリには見つかりません。',
      'User TANAKA (info@a.example) not listed in Domino Directory',
      'ﾕｰｻﾞｰが存在しません',
      '550 宛先不明のため配信できません',
      '550 このメールアドレスは現在使用されておりません',
      '550 該当するアカウントが見つかりませんでした',
      '550 5.5.1 No such account here',
      '550 5.1.1 User unknown. For help contact it@desk.example',
      '550 This account has been disabled or discontinued [#102].',
      '550 5.1.1 Your mail server tried an account that does not exist',
    ])('by words or codes: %s', (text) => {
      expect(bounceClass({ status: null, text, recipients: ['Info@A.example'] })).toBe('hard');
    });

    test.each([
      '550 5.1.1 <sales@own.example>: User unknown',
      '550 5.1.1 <tanaka@a.example>: mailbox not found',
      '550 ユーザー sales@own.example は存在しません',
    ])('is that of the recipient, not another: %s', (text) => {
      expect(bounceClass({ status: '5.1.1', text, recipients: ['info@a.example'] })).toBe('mail');
      expect(bounceClass({ status: '5.1.1', text, recipients: [] })).toBe('hard');
    });

    test.each([
      'ユーザー TANAKA は一意ではありません。Domino ディレクトリで複数見つかりました。',
      '宛先が存在しない可能性があります。アドレスが間違っていないか、ご確認ください。',
      'User TANAKA not unique. Several matches found in Domino Directory.',
    ])('is none where it has several matches, or may not exist: %s', (text) => {
      expect(bounceClass({ status: '5.0.0', text, recipients: ['info@a.example'] })).toBe('mail');
    });
  });

  test('bad-inputs: words in addresses and links do not count', () => {
    const text = 'smtp; 550 5.1.1 <info@antispam.example>: see https://help.example/spam?virus';
    expect(bounceClass({ status: '5.1.1', text, recipients: ['info@antispam.example'] })).toBe('hard');
  });

  test('a blocklist keeps the address, whatever the code says', () => {
    const text = '550 5.1.1 rejected, your host is listed at zen.spamhaus.org';
    expect(bounceClass({ status: '5.1.1', text, recipients: ['info@a.example'] })).toBe('policy');
  });

  test('5.2.1 is a dead mailbox everywhere but at a carrier', () => {
    const words = { status: '5.2.1', text: '550 5.2.1' };
    expect(bounceClass({ ...words, recipients: ['info@a.example'] })).toBe('hard');
    expect(bounceClass({ ...words, recipients: ['taro@DOCOMO.ne.jp'] })).toBe('filtered');
    expect(bounceClass({ ...words, recipients: ['taro@notdocomo.ne.jp'] })).toBe('hard');
  });

  test('without a code or a known word only this mail counts as failed', () => {
    expect(bounceClass({ status: null, text: '', recipients: [] })).toBe('mail');
    expect(bounceClass({ status: '5.3.0', text: 'X-Unix; 255', recipients: ['info@a.example'] })).toBe('mail');
  });

  test('every text has a class, and only its beginning counts', () => {
    const words = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constantFrom('unknown user', 'mailbox '));
    const texts = fc.array(words, { maxLength: 300 }).map((parts) => parts.join(' '));
    fc.assert(
      fc.property(texts, fc.option(fc.string()), fc.array(fc.string()), (text, status, recipients) => {
        const found = bounceClass({ status, text, recipients });
        expect(bounceClass({ status, text: text.slice(0, 2000), recipients })).toBe(found);
      }),
    );
  });

  test.each(['a', '@', 'a@', '5.1.1.', 'user ', 'mailbox', 'http://', '宛先', '<'])(
    'lawful 71: five megabytes of %j end at once',
    (unit) => {
      const text = unit.repeat(5_000_000 / unit.length);
      expect(bounceClass({ status: null, text, recipients: [unit.repeat(100_000)] })).toBeDefined();
    },
  );
});

test.each([
  [3, 1000, true],
  [2, 1000, false],
  [3, 20, true],
  [2, 20, true],
  [1, 20, false],
  [1, 19, true],
  [2, 40, false],
  [0, 0, false],
])('%i bounces by policy of %i targets', (bounces, targets, isRefused) => {
  expect(isStoppedByPolicy(bounces, targets)).toBe(isRefused);
});
