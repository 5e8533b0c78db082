import { createPrivateKey } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import DKIM from 'nodemailer/lib/dkim';
import { domainOf } from '#domain/mail/address-key.ts';

/** A key that signs a domain's mails (RFC 6376). Its public key is in the DNS, at selector._domainkey.domain. */
export interface DkimKey {
  readonly domain: string;
  readonly selector: string;
  /** PEM. Secret: no error and no log line repeats it. */
  readonly privateKey: string;
}

interface WrittenDkim {
  readonly DKIM_DOMAIN?: string | undefined;
  readonly DKIM_SELECTOR?: string | undefined;
  readonly DKIM_PRIVATE_KEY?: string | undefined;
}

const LABELS = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;
/**
 * The signed header fields, if a mail has them. nodemailer's own list lacks List-Unsubscribe-Post: mail programs offer
 * one click only if both unsubscribe fields are signed (RFC 8058).
 */
const SIGNED_FIELDS = [
  'From',
  'Reply-To',
  'To',
  'Subject',
  'Date',
  'Message-ID',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
  'MIME-Version',
  'Content-Type',
  'Content-Transfer-Encoding',
].join(':');

/** RFC 8301: verifiers refuse shorter keys. */
const MIN_BITS = 1024;

/**
 * Reads the three DKIM settings, of which none or all must be given.
 * @returns their fault in Japanese, or the key; null: none is given
 */
export function readDkim(written: WrittenDkim): DkimKey | null | string[] {
  const { DKIM_DOMAIN = '', DKIM_SELECTOR = '', DKIM_PRIVATE_KEY = '' } = written;
  if (DKIM_DOMAIN + DKIM_SELECTOR + DKIM_PRIVATE_KEY === '') return null;
  const domain = DKIM_DOMAIN.trim().toLowerCase();
  const selector = DKIM_SELECTOR.trim().toLowerCase();
  // A one-line setting has \n for each line break.
  const privateKey = DKIM_PRIVATE_KEY.replaceAll('\\n', '\n').trim();
  const faults = [
    ...(LABELS.test(domain) && domain.includes('.') ? [] : ['DKIM_DOMAIN は example.co.jp の形にしてください。']),
    ...(LABELS.test(selector) ? [] : ['DKIM_SELECTOR は kaitaku2026 のような、半角英数字と - . にしてください。']),
    ...(isRsaKey(privateKey)
      ? []
      : [`DKIM_PRIVATE_KEY は ${MIN_BITS}ビット以上のRSA秘密鍵（PEM、パスフレーズなし）にしてください。`]),
  ];
  return faults.length > 0 ? faults : { domain, selector, privateKey };
}

function isRsaKey(pem: string): boolean {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_BITS;
  } catch {
    return false;
  }
}

/**
 * Returns whether a key may sign for an address: only in its own domain and those below. Another domain's signature
 * would not authenticate the sender.
 */
export const belongsTo = ({ domain }: Pick<DkimKey, 'domain'>, from: string): boolean => {
  const fromDomain = domainOf(from);
  return fromDomain === domain || fromDomain.endsWith(`.${domain}`);
};

/**
 * Returns the message preceded by a DKIM signature, if the key belongs to the domain of its header From.
 * @param from the address in that header: receivers compare the signature with it (RFC 7489), not with the envelope
 * @throws rather than return an unsigned mail
 */
export async function signMessage(message: Buffer, from: string, key: DkimKey | null): Promise<Buffer> {
  if (key === null || !belongsTo(key, from)) return message;
  const { domain: domainName, selector: keySelector, privateKey } = key;
  const signed = await buffer(
    new DKIM({ domainName, keySelector, privateKey, headerFieldNames: SIGNED_FIELDS }).sign(message),
  );
  // nodemailer returns the message unsigned if signing fails.
  if (!signed.subarray(0, 15).equals(Buffer.from('DKIM-Signature:'))) throw new Error('the mail could not be signed');
  return signed;
}
