import { signMessage } from './dkim.ts';
import type { Outcome } from './outcome.ts';
import type { SmtpSettings } from './smtp/settings.ts';

export interface Envelope {
  readonly from: string;
  /** The address in the header From, where the envelope has another one. Receivers compare it with the signature. */
  readonly author?: string;
  /** The main recipient, who decides the outcome. The others get copies. */
  readonly to: string;
  readonly bcc: readonly string[];
}

/** A composed mail, not signed yet. */
export interface ComposedMail {
  readonly envelope: Envelope;
  readonly message: Buffer;
}

/** A mail as it leaves: signed, and with its addresses checked. */
export interface SignedMail {
  readonly envelope: Envelope;
  readonly message: Buffer;
}

/** Signs a mail and checks its addresses. @returns an outcome for one that no server may be asked about */
export async function signMail(
  { envelope, message }: ComposedMail,
  { dkim = null }: SmtpSettings,
): Promise<SignedMail | Extract<Outcome, { kind: 'unsendable' }>> {
  const addresses = [envelope.from, envelope.to, ...envelope.bcc];
  if (!addresses.every((address) => PLAIN_ADDRESS.test(address))) return { kind: 'unsendable', reply: NOT_PLAIN };
  try {
    return { envelope, message: await signMessage(message, envelope.author ?? envelope.from, dkim) };
  } catch {
    return { kind: 'unsendable', reply: NOT_SIGNED };
  }
}

/**
 * Matches an address that needs no SMTPUTF8, and ends no command. We accept only ASCII addresses
 * (src/domain/mail/address.ts). This refuses one from another source before a server could read it as another person's.
 * The composed message is ASCII too, and so needs no 8BITMIME.
 */
const PLAIN_ADDRESS = /^[\x21-\x3b\x3d\x3f-\x7e]+$/;
const NOT_PLAIN = 'メールアドレスに半角英数字と記号以外の文字が含まれています';

/** The key was checked at startup. The error of a later failure could reveal part of it, so it is not shown. */
const NOT_SIGNED =
  'メールにDKIM署名を付けられなかったため、送信しませんでした。このサーバーのDKIMの設定を確認してください。';
