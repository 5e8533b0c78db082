import { type Finding, finding } from './health.ts';

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
