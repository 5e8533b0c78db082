import { type Finding, finding, txtRecord } from './domain-health.ts';

/** Judges whether a domain takes mail. @param exchanges of its MX records; null: it has none */
export function mxFinding(domain: string, exchanges: readonly string[] | null, hasAddress: boolean): Finding {
  // RFC 7505: a single MX of "." says that the domain takes no mail.
  const isNull = exchanges?.every((exchange) => exchange === '' || exchange === '.') ?? false;
  if (exchanges !== null && !isNull) {
    return finding('mx', 'good', 'メールを受け取るサーバーがあります。', { found: exchanges });
  }
  if (exchanges === null && hasAddress) {
    return finding('mx', 'good', 'メールを受け取るサーバーがあります（MXレコードがないため、ドメインのアドレス）。');
  }
  const message = `${domain}にメールを受け取るサーバーがありません。返信も苦情も届きません。`;
  const remedy =
    'メールを受け取るサーバーのMXレコードをDNSに追加するか、受け取れるドメインのアドレスを差出人にしてください。';
  return finding('mx', 'bad', message, { remedy, found: isNull ? ['MX 0 .'] : [] });
}

/** The public half of the key that signs a domain's mails. */
export interface PublicKey {
  readonly domain: string;
  readonly selector: string;
  /** DER (SubjectPublicKeyInfo) in base64, as in the tag p=. */
  readonly base64: string;
  readonly bits: number;
}

const nameOf = ({ selector, domain }: Pick<PublicKey, 'domain' | 'selector'>): string =>
  `${selector}._domainkey.${domain}`;

/** Judges the published key of a domain whose mails we sign. @param texts the TXT records at the selector */
export function dkimFinding(key: PublicKey, texts: readonly string[]): Finding {
  const record = txtRecord(nameOf(key), `v=DKIM1; k=rsa; p=${key.base64}`);
  const bad = (message: string) => finding('dkim', 'bad', message, { remedy: DKIM_REMEDY, found: texts, record });
  if (texts.length === 0) return bad('DKIMの公開鍵がDNSにありません。');
  const keys = texts.map((text) => tagsOf(text).get('p')?.replace(/\s+/g, ''));
  const isOurs = (published: string | undefined) => withoutPadding(published ?? '') === withoutPadding(key.base64);
  if (!keys.some(isOurs)) {
    return bad(keys.includes('') ? 'DKIMの公開鍵が取り消されています（p= が空です）。' : DKIM_MISMATCH);
  }
  if (texts.length > 1) return bad(`DKIMの公開鍵が${texts.length}つあります。受信側がどれを使うかは決まっていません。`);
  if (key.bits < STRONG_BITS) {
    const remedy = `${STRONG_BITS}ビットの鍵に替えるよう、管理者に依頼してください。`;
    return finding('dkim', 'look', `DKIMの鍵が${key.bits}ビットです。`, { remedy, found: texts });
  }
  return finding('dkim', 'good', 'DKIMの公開鍵は、このサーバーの秘密鍵と一致します。', { found: texts });
}

const STRONG_BITS = 2048;
const DKIM_MISMATCH = 'DKIMの公開鍵が、このサーバーの秘密鍵と一致しません。';
const DKIM_REMEDY = '次のTXTレコードをDNSに設定してください。同じ名前のほかのTXTレコードは削除します。';
const withoutPadding = (base64: string): string => base64.replace(/=+$/, '');

/** Judges a domain whose mails are not signed here. @param signedDomain that our key signs for; null: no key */
export function unsignedFinding(domain: string, signedDomain: string | null): Finding {
  const message =
    signedDomain === null
      ? 'このサーバーはDKIMの署名を付けていません。送信サーバーが付けるかは、ここでは確かめられません。'
      : `このサーバーのDKIMの署名は${signedDomain}のもので、${domain}のメールには付きません。`;
  const remedy =
    '送信サーバーが署名しない場合は、DKIM_DOMAIN、DKIM_SELECTOR、DKIM_PRIVATE_KEY を設定するよう、管理者に依頼してください。';
  return finding('dkim', 'look', message, { remedy });
}

/** Judges a domain that a service signs for. @param texts the keys that it has published at its selectors */
export function serviceKeyFinding(service: string, names: readonly string[], texts: readonly string[]): Finding {
  if (texts.some((text) => tagsOf(text).get('p'))) {
    return finding('dkim', 'good', `${service}のDKIMの公開鍵があります。`, { found: texts });
  }
  return finding('dkim', 'look', `${service}のDKIMの公開鍵を確かめられません（${names.join('、')}）。`, {
    remedy: `${service}でドメインの認証を済ませてください。別の名前（セレクター）にしている場合は、そのままでかまいません。`,
    found: texts,
  });
}

/** A record's tags (`v=DKIM1; p=…`) by name. A repeated name counts once, as its first. */
export function tagsOf(text: string): ReadonlyMap<string, string> {
  const tags = new Map<string, string>();
  for (const part of text.split(';')) {
    const at = part.indexOf('=');
    const name = part.slice(0, at).trim().toLowerCase();
    if (at > 0 && !tags.has(name)) tags.set(name, part.slice(at + 1).trim());
  }
  return tags;
}

/** The policy that receivers apply to a domain. */
export interface DmarcPolicy {
  /** Where the record is: the domain itself, or one above. */
  readonly domain: string;
  /** null: no valid policy. */
  readonly policy: string | null;
  readonly hasReports: boolean;
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
  // A record that receivers cannot read makes them look at the domain above.
  const isSkipped = own.length === 1 && applied?.domain !== domain;
  if (isSkipped || applied === null || applied.policy === null) {
    return finding('dmarc', 'bad', 'DMARCレコードに誤りがあります。', parts);
  }
  const found = [applied.text];
  if (applied.policy === 'none' && !applied.hasReports) {
    const remedy = '報告を受け取るアドレス（rua）を加えると、なりすましや設定の誤りに気づけます。';
    const value = `${applied.text.replace(/[;\s]*$/, '')}; rua=mailto:postmaster@${applied.domain}`;
    const withReports = txtRecord(`_dmarc.${applied.domain}`, value);
    const message = 'DMARCレコードは p=none で、報告先（rua）がありません。';
    return finding('dmarc', 'look', message, { remedy, found, record: withReports });
  }
  const place = applied.domain === domain ? '' : `（${applied.domain}のレコード）`;
  return finding('dmarc', 'good', `DMARCレコードは正しく設定されています${place}。`, { found });
}

const DMARC_MISSING = 'DMARCレコードがありません。Gmail・Outlook.com・ドコモで、迷惑メール扱いや警告の原因になります。';
const DMARC_REMEDY = '次のTXTレコードをDNSに追加してください。rua のアドレスは、報告を受け取れるものに変えられます。';

/** The domains that receivers compare with that of the sender's address. */
export interface AlignmentFacts {
  readonly domain: string;
  /** d= of our signature; null: not signed here. */
  readonly signedDomain: string | null;
  /** Of the return path; null: a service has one of its own. */
  readonly returnDomain: string | null;
  /** Whether a key of a service is published at this domain. */
  readonly hasServiceKey: boolean;
  /** Whether DMARC asks for equal domains (adkim=s, aspf=s), not only of one organisation. */
  readonly strict: { readonly dkim: boolean; readonly spf: boolean };
}

/**
 * Judges whether the signature and the return path are of the sender's organisation.
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
    ...(isAligned(returnDomain, strict.spf) ? ['リターンパス'] : []),
  ];
  if (aligned.length === 2 || hasServiceKey) {
    return finding('alignment', 'good', `差出人と${aligned.join('・')}のドメインが一致します。`, { found });
  }
  if (aligned.length === 1) {
    return finding('alignment', 'look', `差出人と一致するドメインは、${aligned[0]}だけです。`, {
      remedy: ONE_REMEDY,
      found,
    });
  }
  if (returnDomain === null) {
    return finding('alignment', 'look', '差出人とDKIMのドメインが一致するかを確かめられません。', {
      remedy: '送信サービスで、差出人のドメインの認証を済ませてください。',
    });
  }
  return finding('alignment', 'bad', '差出人とDKIM・リターンパスのドメインが一致しません。', {
    remedy: NONE_REMEDY,
    found,
  });
}

const ONE_REMEDY =
  'どちらか1つが一致していれば届きます。転送されたメールはSPFが通らないため、DKIMも差出人のドメインで署名すると確実です。';
const NONE_REMEDY =
  '差出人のドメインでDKIMの署名を付けるか、リターンパスを差出人のドメインにするよう、管理者に依頼してください。';

/**
 * Judges whether mail programs offer to refuse by one click (RFC 8058).
 * @param signs whether we sign the domain's mails
 */
export function oneClickFinding(hasPublicUrl: boolean, signs: boolean): Finding {
  if (!hasPublicUrl) {
    return finding('one_click', 'look', '配信停止のリンクがhttpsではないため、ワンクリック停止が使えません。', {
      remedy: '社外から開けるhttpsのアドレス（PUBLIC_URL）を設定するよう、管理者に依頼してください。',
    });
  }
  if (!signs) {
    return finding('one_click', 'look', 'ワンクリック停止のヘッダーにDKIMの署名が付くかを確かめられません。', {
      remedy: 'List-Unsubscribe と List-Unsubscribe-Post の両方に署名が付くと、Gmailなどに停止のボタンが出ます。',
    });
  }
  return finding('one_click', 'good', 'ワンクリック停止のヘッダーを付け、DKIMで署名しています。');
}
