import { type Finding, finding, tagsOf, txtRecord } from './health.ts';

/** The public key for a domain's signatures. */
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
    if (keys.some((published) => isOurs(published?.replaceAll('"', '')))) return bad(DKIM_QUOTED);
    return bad(keys.includes('') ? 'DKIMの公開鍵が取り消されています（p= が空です）。' : DKIM_MISMATCH);
  }
  if (texts.length > 1) return bad(`DKIMの公開鍵が${texts.length}つあります。受信側がどれを使うかは決まっていません。`);
  if (key.bits < STRONG_BITS) {
    const remedy = `${STRONG_BITS}ビットの鍵に替えてください。このサーバーの設定が必要です。`;
    const setting = 'DKIM_PRIVATE_KEY に新しい鍵を設定し、その公開鍵をDNSに設定します。';
    return finding('dkim', 'look', `DKIMの鍵が${key.bits}ビットです。`, { remedy, setting, found: texts });
  }
  return finding('dkim', 'good', 'DKIMの公開鍵は、このサーバーの秘密鍵と一致します。', { found: texts });
}

const STRONG_BITS = 2048;
const DKIM_MISMATCH = 'DKIMの公開鍵が、このサーバーの秘密鍵と一致しません。';
const DKIM_QUOTED =
  'DKIMの公開鍵の値に、引用符（"）がそのまま入っています。引用符と、その間の空白を除いて設定し直してください。';
const DKIM_REMEDY = '次のTXTレコードをDNSに設定してください。同じ名前のほかのTXTレコードは削除します。';
/** Each run is tried only from its start: the time is linear, even for a hostile record. */
const withoutPadding = (base64: string): string => base64.replace(/(?<!=)=+$/, '');

/** Judges a domain whose mails are not signed here. @param signedDomain the domain of our key; null: no key */
export function unsignedFinding(domain: string, signedDomain: string | null): Finding {
  const message =
    signedDomain === null
      ? 'DKIMの署名が付くかを確かめられません。'
      : `このサーバーのDKIMの署名は${signedDomain}のもので、${domain}のメールには付きません。`;
  const remedy =
    'DKIMの署名は、送信サーバーの設定を確かめてください。送信サーバーが署名しない場合は、このサーバーの設定が必要です。';
  const setting = 'DKIM_DOMAIN、DKIM_SELECTOR、DKIM_PRIVATE_KEY を設定します。';
  return finding('dkim', 'look', message, { remedy, setting });
}

/** Judges a domain whose mails leave by a mailbox at a server that we do not know. */
export const mailboxKeyFinding = (): Finding =>
  finding('dkim', 'look', 'DKIMの署名が付くかを確かめられません。', {
    remedy: 'メールボックスの提供元の案内に従って、ドメインのDKIMの署名を有効にしてください。',
  });

/** Judges a domain for which a service signs. @param texts the keys published at the service's selectors */
export function serviceKeyFinding(service: string, names: readonly string[], texts: readonly string[]): Finding {
  if (texts.some((text) => tagsOf(text).get('p'))) {
    return finding('dkim', 'good', `${service}のDKIMの公開鍵があります。`, { found: texts });
  }
  return finding('dkim', 'look', `${service}のDKIMの公開鍵を確かめられません（${names.join('、')}）。`, {
    remedy: `${service}でドメインの認証を済ませてください。別の名前（セレクター）にしている場合は、そのままでかまいません。`,
    found: texts,
  });
}
