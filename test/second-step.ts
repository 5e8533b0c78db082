import { totpOf } from '#server/features/auth/second-step/totp.ts';
import type { Client } from './client.ts';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Reads base32, as an authenticator app does. */
export function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** Returns the code that an app shows. @param now epoch milliseconds */
export const codeAt = (secret: string, now: number): string => totpOf(fromBase32(secret), Math.floor(now / 30_000));

/** Sets up a second step, as its member does. */
export async function setUpSecondStep(
  client: Client,
  { password, now = Date.now() }: { readonly password: string; readonly now?: number },
): Promise<{ readonly secret: string; readonly codes: readonly string[] }> {
  const started = await client.post('/auth/two_factor/start', { current_password: password });
  if (started.status !== 200) throw new Error(JSON.stringify(started.body));
  const { secret } = started.body as { secret: string };
  const confirmed = await client.post('/auth/two_factor/confirm', { code: codeAt(secret, now) });
  if (confirmed.status !== 200) throw new Error(JSON.stringify(confirmed.body));
  return { secret, codes: (confirmed.body as { recovery_codes: string[] }).recovery_codes };
}
