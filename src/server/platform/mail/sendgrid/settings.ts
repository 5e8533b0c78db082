import { createPublicKey, type KeyObject } from 'node:crypto';
import { isLoopback } from '../smtp/settings.ts';

/** The settings of a connection to SendGrid. */
export interface SendGridSettings {
  /** The base URL of its v3 API: global, of a region, or a test's. */
  readonly url: URL;
  /** Secret: no error, reply or log line contains it. */
  readonly apiKey: string;
}

interface WrittenSendGrid {
  readonly SENDGRID_API_KEY?: string | undefined;
  readonly SENDGRID_URL?: string | undefined;
  readonly SENDGRID_WEBHOOK_PUBLIC_KEY?: string | undefined;
}

export interface ReadSendGrid {
  /** null: another transport sends the mails. */
  readonly sendgrid: SendGridSettings | null;
  /** The keys that verify SendGrid's events: one key must match. None: no events are accepted. */
  readonly eventKeys: readonly KeyObject[];
}

export const SENDGRID_URL = 'https://api.sendgrid.com';

/** Where users edit SendGrid's dynamic templates. */
export const SENDGRID_EDITOR_URL = 'https://mc.sendgrid.com/dynamic-templates/{template_id}';

/** Reads the three settings. An empty one counts as missing. @returns their fault in Japanese, without their values */
export function readSendGrid(written: WrittenSendGrid): ReadSendGrid | string[] {
  const apiKey = written.SENDGRID_API_KEY?.trim() ?? '';
  const url = readUrl(written.SENDGRID_URL?.trim() || SENDGRID_URL);
  const publicKeys = (written.SENDGRID_WEBHOOK_PUBLIC_KEY ?? '').split(/[\s,]+/).filter((text) => text !== '');
  const eventKeys = publicKeys.flatMap((text) => readPublicKey(text) ?? []);
  const faults = [
    // An HTTP header may hold no other characters.
    ...(apiKey === '' || /^SG\.[\x21-\x7e]{1,200}$/.test(apiKey)
      ? []
      : ['SENDGRID_API_KEY は SG. で始まるAPIキーにしてください。']),
    ...(url ? [] : [`SENDGRID_URL は ${SENDGRID_URL} の形にしてください（http はこのマシン宛てだけです）。`]),
    ...(eventKeys.length === publicKeys.length
      ? []
      : [
          'SENDGRID_WEBHOOK_PUBLIC_KEY は、SendGridのEvent Webhookの設定画面に表示される Verification Key にしてください。',
        ]),
  ];
  if (faults.length > 0 || !url) return faults;
  return { sendgrid: apiKey === '' ? null : { url, apiKey }, eventKeys };
}

/** Reads the API's URL. It must use TLS or stay on this machine, because each request carries the API key. */
function readUrl(text: string): URL | null {
  const url = URL.parse(text);
  if (url?.pathname !== '/' || url.search !== '' || url.username !== '' || url.hostname === '') return null;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url)) ? url : null;
}

/** Reads an EC P-256 key as SendGrid shows it: SubjectPublicKeyInfo (DER) in base64, without PEM lines. */
function readPublicKey(base64: string): KeyObject | null {
  try {
    const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null;
  } catch {
    return null;
  }
}
