import { createPublicKey, type KeyObject } from 'node:crypto';
import { isLoopback } from './smtp-settings.ts';

/** How to reach SendGrid. */
export interface SendGridSettings {
  /** Of its v3 API: global, of a region, or a test's. */
  readonly url: URL;
  /** Never told to anybody: no error, no reply and no log line repeats it. */
  readonly apiKey: string;
}

interface WrittenSendGrid {
  readonly SENDGRID_API_KEY?: string | undefined;
  readonly SENDGRID_URL?: string | undefined;
  readonly SENDGRID_WEBHOOK_PUBLIC_KEY?: string | undefined;
}

interface ReadSendGrid {
  /** null: mails go another way. */
  readonly sendgrid: SendGridSettings | null;
  /** What SendGrid signs its events with; null: none are taken. */
  readonly eventKey: KeyObject | null;
}

export const SENDGRID_URL = 'https://api.sendgrid.com';

/** Where SendGrid's dynamic templates are edited. */
export const SENDGRID_EDITOR_URL = 'https://mc.sendgrid.com/dynamic-templates/{template_id}';

/**
 * Reads the three settings. An empty one is none.
 * @returns what is wrong with them, in Japanese, without their values
 */
export function readSendGrid(written: WrittenSendGrid): ReadSendGrid | string[] {
  const apiKey = written.SENDGRID_API_KEY?.trim() ?? '';
  const url = readUrl(written.SENDGRID_URL?.trim() || SENDGRID_URL);
  const publicKey = written.SENDGRID_WEBHOOK_PUBLIC_KEY?.trim() ?? '';
  const eventKey = publicKey === '' ? null : readPublicKey(publicKey);
  const faults = [
    // A header of HTTP holds nothing else.
    ...(apiKey === '' || /^SG\.[\x21-\x7e]{1,200}$/.test(apiKey)
      ? []
      : ['SENDGRID_API_KEY は SG. で始まるAPIキーにしてください。']),
    ...(url ? [] : [`SENDGRID_URL は ${SENDGRID_URL} の形にしてください（http はこのマシン宛てだけです）。`]),
    ...(publicKey === '' || eventKey
      ? []
      : [
          'SENDGRID_WEBHOOK_PUBLIC_KEY は、SendGridのEvent Webhookの設定画面に表示される Verification Key にしてください。',
        ]),
  ];
  if (faults.length > 0 || !url) return faults;
  return { sendgrid: apiKey === '' ? null : { url, apiKey }, eventKey };
}

/** The API key goes along: over TLS, or not off this machine. */
function readUrl(text: string): URL | null {
  const url = URL.parse(text);
  if (url?.pathname !== '/' || url.search !== '' || url.username !== '' || url.hostname === '') return null;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url)) ? url : null;
}

/** An EC P-256 key as SendGrid shows it: SubjectPublicKeyInfo (DER) in base64, without the lines of a PEM. */
function readPublicKey(base64: string): KeyObject | null {
  try {
    const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null;
  } catch {
    return null;
  }
}
