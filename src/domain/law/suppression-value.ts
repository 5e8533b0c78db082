import { type MailAddressFault, parseMailAddress } from '../mail/address.ts';
import { addressKey } from '../mail/address-key.ts';
import type { SuppressionValue } from './suppression.ts';

type ParsedSuppressionValue =
  | ({ readonly ok: true } & SuppressionValue)
  | { readonly ok: false; readonly reason: MailAddressFault };

/**
 * Reads an address, or a domain as `@example.co.jp`, in the forms that parseMailAddress normalises.
 * @returns the value in the form of addressKey
 */
export function parseSuppressionValue(written: string): ParsedSuppressionValue {
  const text = written.trim();
  const isDomain = /^[@＠]/.test(text);
  const parsed = parseMailAddress(isDomain ? `a${text}` : text);
  if (!parsed.ok) return parsed;
  const value = addressKey(parsed.address);
  return isDomain ? { ok: true, kind: 'domain', value: value.slice(2) } : { ok: true, kind: 'address', value };
}
