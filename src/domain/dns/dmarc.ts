import { type Finding, finding, txtRecord } from './health.ts';

/** The policy that receivers apply to a domain. */
export interface DmarcPolicy {
  /** The record's domain: the domain itself, or one above. */
  readonly domain: string;
  /** How receivers treat unauthenticated mails of the domain; null: no valid policy. */
  readonly policy: string | null;
  /** The tag with the policy (`sp=none`), as shown. */
  readonly tag: string;
  /** The value of rua=, the address for reports; '': none. */
  readonly reportsTo: string;
  readonly text: string;
}

/**
 * Judges the DMARC record of a domain.
 * @param own the TXT records at _dmarc.DOMAIN that look like DMARC's
 * @param applied the record that receivers apply; null: none
 */
export function dmarcFinding(domain: string, own: readonly string[], applied: DmarcPolicy | null): Finding {
  const record = txtRecord(`_dmarc.${domain}`, `v=DMARC1; p=none; rua=mailto:postmaster@${domain}`);
  const parts = { remedy: DMARC_REMEDY, found: own, record };
  if (own.length > 1) {
    const remedy = 'DMARCレコードは1つだけにします。ほかを削除してください。';
    return finding('dmarc', 'bad', `DMARCレコードが${own.length}つあります。`, { found: own, remedy });
  }
  if (own.length === 0 && applied === null) return finding('dmarc', 'bad', DMARC_MISSING, parts);
  // Receivers that cannot read a record use the domain above.
  const isSkipped = own.length === 1 && applied?.domain !== domain;
  if (isSkipped || applied === null || applied.policy === null) {
    return finding('dmarc', 'bad', 'DMARCレコードに誤りがあります。', parts);
  }
  const found = [applied.text];
  const place = applied.domain === domain ? '' : `（${applied.domain}のレコード）`;
  const uris = applied.reportsTo.split(',').map((uri) => uri.trim());
  if (applied.reportsTo !== '' && !uris.every((uri) => REPORT_URI.test(uri))) {
    const remedy = 'rua のアドレスは mailto: から始めます。次の値に直すと、報告が届きます。';
    const rua = uris.map((uri) => reportUri(uri) ?? `mailto:postmaster@${applied.domain}`).join(',');
    const value = applied.text.replace(/(\brua\s*=)[^;]*/i, (_, name: string) => `${name}${rua}`);
    const message = `DMARCレコード${place}の報告先（rua）が、受け取れる形になっていません。`;
    return finding('dmarc', 'look', message, { remedy, found, record: txtRecord(`_dmarc.${applied.domain}`, value) });
  }
  if (applied.policy === 'none' && applied.reportsTo === '') {
    const remedy = '報告を受け取るアドレス（rua）を加えると、なりすましや設定の誤りに気づけます。';
    const value = `${applied.text.replace(/(?<![;\s])[;\s]+$/, '')}; rua=mailto:postmaster@${applied.domain}`;
    const withReports = txtRecord(`_dmarc.${applied.domain}`, value);
    const message = `DMARCレコード${place}は ${applied.tag} で、報告先（rua）がありません。`;
    return finding('dmarc', 'look', message, { remedy, found, record: withReports });
  }
  return finding('dmarc', 'good', `DMARCレコードは正しく設定されています${place}。`, { found });
}

/** Receivers accept only a URI (`rua` of DMARC), optionally with a maximum size. */
const REPORT_URI = /^mailto:[^\s@,!]+@[^\s@,!]+(?:!\d+[kmgt]?)?$/i;

const MAX_LOCAL_PART = 64;

/** Returns the intended URI of a malformed value. @returns null if it names no address */
function reportUri(meant: string): string | null {
  const at = meant.lastIndexOf('@');
  const [local] = /[^\s@,!:/]+$/.exec(meant.slice(Math.max(0, at - MAX_LOCAL_PART), Math.max(0, at))) ?? [];
  const [domain] = /^[^\s@,]+/.exec(meant.slice(at + 1)) ?? [];
  return local === undefined || domain === undefined ? null : `mailto:${local}@${domain}`;
}

const DMARC_MISSING = 'DMARCレコードがありません。Gmail・Outlook.com・ドコモで、迷惑メール扱いや警告の原因になります。';
const DMARC_REMEDY = '次のTXTレコードをDNSに追加してください。rua のアドレスは、報告を受け取れるものに変えられます。';

/** The domains that receivers compare with the sender address's domain. */
interface AlignmentFacts {
  readonly domain: string;
  /** d= of our signature; null: not signed here. */
  readonly signedDomain: string | null;
  /** The domain of the return path; null: a service has its own. */
  readonly returnDomain: string | null;
  /** Whether a key of a service is published at this domain. */
  readonly hasServiceKey: boolean;
  /** Whether DMARC requires equal domains (adkim=s, aspf=s), not only the same organisation. */
  readonly strict: { readonly dkim: boolean; readonly spf: boolean };
}

/**
 * Judges whether the signature and the return path belong to the sender's organisation.
 * @param orgOf the organisation of a domain, by the public suffix list
 */
export function alignmentFinding(facts: AlignmentFacts, orgOf: (domain: string) => string | null): Finding {
  const { domain, signedDomain, returnDomain, hasServiceKey, strict } = facts;
  const isAligned = (other: string | null, isStrict: boolean): boolean =>
    other === domain || (!isStrict && other !== null && orgOf(other) !== null && orgOf(other) === orgOf(domain));
  const found = [
    ...(signedDomain === null ? [] : [`d=${signedDomain}`]),
    ...(returnDomain === null ? [] : [returnDomain]),
  ];
  const aligned = [
    ...(isAligned(signedDomain, strict.dkim) || hasServiceKey ? ['DKIM'] : []),
    ...(isAligned(returnDomain, strict.spf) ? ['返送先（Return-Path）'] : []),
  ];
  if (aligned.length === 2 || hasServiceKey) {
    return finding('alignment', 'good', `差出人と${aligned.join('・')}のドメインが一致します。`, { found });
  }
  if (aligned.length === 1) {
    return finding('alignment', 'look', `差出人と同じドメインで確かめられるのは、${aligned[0]}だけです。`, {
      remedy: ONE_REMEDY,
      found,
    });
  }
  if (returnDomain === null) {
    return finding('alignment', 'look', '差出人とDKIMのドメインが一致するかを確かめられません。', {
      remedy: '送信サービスで、差出人のドメインの認証を済ませてください。',
    });
  }
  return finding('alignment', 'bad', '差出人とDKIM・返送先（Return-Path）のドメインが一致しません。', {
    remedy: NONE_REMEDY,
    setting: NONE_SETTING,
    found,
  });
}

const ONE_REMEDY =
  'どちらか1つが一致していれば届きます。転送されたメールはSPFが通らないため、DKIMも差出人のドメインで署名すると確実です。';
const NONE_REMEDY =
  '差出人のドメインでDKIMの署名を付けるか、返送先を差出人のドメインにしてください。このサーバーの設定が必要です。';
const NONE_SETTING = '署名は DKIM_DOMAIN、DKIM_SELECTOR、DKIM_PRIVATE_KEY で、返送先は RETURN_ADDRESS で設定します。';
