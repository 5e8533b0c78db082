import { MINUTE_MS } from '../time-units.ts';
import { type Finding, finding } from './health.ts';
import type { SpfResult } from './spf.ts';

/** Judges the headers of a domain's test mail that our own inbox received (decisions/domain-health). */

/** `arrival` is the only check of a mail that bounced, or could not be judged. */
export const DOMAIN_TEST_CHECKS = ['arrival', 'mail_spf', 'mail_dkim', 'mail_dmarc', 'ptr'] as const;
export type DomainTestCheck = (typeof DOMAIN_TEST_CHECKS)[number];
export type TestFinding = Finding<DomainTestCheck>;

/** off: no mail can be sent. none: not sent yet. late: overdue. arrived: received and judged. */
export const DOMAIN_TEST_STATES = ['off', 'none', 'waiting', 'late', 'arrived'] as const;
export type DomainTestState = (typeof DOMAIN_TEST_STATES)[number];

/** A mail that takes longer may be lost. Greylisting costs some minutes. */
export const DOMAIN_TEST_LATE_MS = 10 * MINUTE_MS;

/** The server that handed a mail to the recipient's servers. */
export interface Hop {
  readonly address: string;
  /** The name in its HELO or EHLO. */
  readonly helo: string;
}

/** @param words the reply of the server that bounced the mail */
export const returnedFinding = (words: string): TestFinding =>
  finding('arrival', 'bad', '自己診断メールが、届かずに戻りました。', {
    remedy: 'メールサーバーの応答を確かめてください。このサーバーの設定が必要な場合があります。',
    setting: 'RETURN_ADDRESS のアドレスがメールを受け取れることを確かめます。',
    found: words === '' ? [] : [words],
  });

/** Makes the finding for a received mail whose header takes too long to judge. */
export const unjudgedFinding = (): TestFinding =>
  finding('arrival', 'unknown', '自己診断メールは届きましたが、判定できませんでした。', {
    remedy: 'もう一度送ってください。続く場合は、途中のサーバーがメールに何かを加えていないかを確かめてください。',
  });

const INSIDE_REMEDY =
  'メールボックスが送信サーバーと同じ社内にあると、社外からの見え方は分かりません。社外のアドレスへのテスト送信でも確かめてください。';

/** Judges the SPF of a received mail. @param result null: no outside server handed it over */
export function mailSpfFinding(hop: Hop | null, domain: string, result: SpfResult | null): TestFinding {
  if (hop === null || result === null) {
    return finding('mail_spf', 'look', 'メールが社外を通らずに届いたため、SPFを確かめられません。', {
      remedy: INSIDE_REMEDY,
    });
  }
  const found = [hop.address, domain];
  if (result === 'pass') return finding('mail_spf', 'good', '届いたメールは、SPFに合格しました。', { found });
  return finding(
    'mail_spf',
    result === 'neutral' ? 'look' : 'bad',
    `届いたメールは、SPFに合格しませんでした（${result}）。`,
    {
      remedy: `メールは${hop.address}から届きました。${domain}のSPFレコードが、このアドレスからの送信を許すようにしてください。`,
      found,
    },
  );
}

/** One DKIM signature of a received mail. */
export interface MailSignature {
  /** The tag d=. */
  readonly domain: string;
  /** `pass`, or why the signature does not count. */
  readonly result: string;
  /** Whether its domain belongs to the organisation of the sender's address. */
  readonly isAligned: boolean;
}

/** Judges the DKIM signatures of a received mail. */
export function mailDkimFinding(signatures: readonly MailSignature[]): TestFinding {
  const found = signatures.map(({ domain, result }) => `d=${domain} ${result}`);
  if (signatures.length === 0) {
    return finding('mail_dkim', 'look', '届いたメールに、DKIMの署名がありません。', { remedy: UNSIGNED_REMEDY });
  }
  const valid = signatures.filter(({ result }) => result === 'pass');
  if (valid.some(({ isAligned }) => isAligned)) {
    return finding('mail_dkim', 'good', '届いたメールのDKIMの署名は、正しいものでした。', { found });
  }
  if (valid.length > 0) {
    const message = '届いたメールのDKIMの署名は、差出人のドメインのものではありません。';
    return finding('mail_dkim', 'look', message, { remedy: FOREIGN_REMEDY, found });
  }
  return finding('mail_dkim', 'bad', '届いたメールのDKIMの署名が、正しくありません。', {
    remedy: BROKEN_REMEDY,
    found,
  });
}

const UNSIGNED_REMEDY =
  '署名がないと、転送されたメールは認証に合格しません。送信サーバーでDKIMの署名を付けてください。';
const FOREIGN_REMEDY = '差出人のドメインの署名を付けてください。';
const BROKEN_REMEDY =
  'DNSの公開鍵が署名した鍵と一致するか、途中のサーバーがメールを書き換えていないかを確かめてください。';

export type DmarcResult = 'pass' | 'fail' | 'none';

/** Judges the DMARC of a received mail. @param isInside no outside server handed it over, so SPF cannot be evaluated */
export function mailDmarcFinding(result: DmarcResult, isInside: boolean): TestFinding {
  if (result === 'pass') return finding('mail_dmarc', 'good', '届いたメールは、DMARCに合格しました。');
  if (result === 'none') {
    return finding('mail_dmarc', 'look', 'DMARCレコードがないため、DMARCの判定はありません。');
  }
  if (isInside) {
    const message = 'メールが社外を通らずに届いたため、DMARCを確かめられません。';
    return finding('mail_dmarc', 'look', message, { remedy: INSIDE_REMEDY });
  }
  return finding('mail_dmarc', 'bad', '届いたメールは、DMARCに合格しませんでした。', {
    remedy: 'SPFかDKIMのどちらかが、差出人のドメインで合格する必要があります。',
  });
}

/** The DNS facts about a server's address. */
export interface ReverseNames {
  readonly names: readonly string[];
  /** Whether one of the names resolves to the address. */
  readonly leadsBack: boolean;
}

/** Judges the reverse name and the HELO name of the server that sent a mail. @param reverse null: no outside server */
export function ptrFinding(hop: Hop | null, reverse: ReverseNames | null): TestFinding {
  if (hop === null || reverse === null) {
    return finding('ptr', 'look', 'メールが社外を通らずに届いたため、逆引きを確かめられません。', {
      remedy: INSIDE_REMEDY,
    });
  }
  const found = [hop.address, ...reverse.names, `HELO ${hop.helo}`];
  const bad = (message: string) =>
    finding('ptr', 'bad', message, {
      remedy: `送信サーバー（${hop.address}）の逆引きの設定を、サーバーの提供元に依頼してください。Gmailなどは、逆引きのないサーバーからのメールを拒否します。`,
      found,
    });
  if (reverse.names.length === 0) return bad('逆引きがありません。');
  if (!reverse.leadsBack) return bad('逆引きの名前が、送信サーバーのアドレスを指していません。');
  if (!FULL_NAME.test(hop.helo)) {
    const remedy = '送信サーバーの名前を、DNSにある完全な名前にしてください。';
    return finding('ptr', 'look', '送信サーバーの名乗り（HELO）が、完全な名前ではありません。', { remedy, found });
  }
  return finding('ptr', 'good', '逆引きと、送信サーバーの名乗り（HELO）は正しいものでした。', { found });
}

/** A name with a dot that is no address. */
const FULL_NAME = /^(?:[a-z0-9_-]+\.)+[a-z][a-z0-9-]*\.?$/i;
