import type { DmarcPass } from '#domain/mail/origin.ts';
import type { AnswerWish } from '#domain/mail/reply-wish/wish.ts';

/** What a mail in the inbox is, and which of our mails it is about. */

/** Names a mail of ours: by its key, or by the local part of its Message-ID. */
export type MailRef = { readonly key: string } | { readonly uuid: string };

/** What a server reports about one recipient (RFC 3464). */
export interface RecipientReport {
  /** `delayed`, `relayed` and `expanded` are left out: they end nothing. */
  readonly action: 'failed' | 'delivered';
  /** In the form of addressKey; null: not given. */
  readonly finalRecipient: string | null;
  readonly originalRecipient: string | null;
  /** The enhanced status code (RFC 3463). */
  readonly status: string | null;
  readonly text: string;
}

/** What an answer says. */
export interface Answer {
  /** In the form of addressKey; '': none. */
  readonly from: string;
  /** `from` is the only address of the only From. */
  readonly isSingle: boolean;
  /** What the topmost Authentication-Results says, whoever wrote it. */
  readonly dmarc: DmarcPass | null;
  readonly subject: string;
  /** The text above the quotation, as plain text. */
  readonly excerpt: string;
  /** Whether it asks for no more mails. */
  readonly wish: AnswerWish;
  /** Its text says that nobody wrote it. */
  readonly isRobot: boolean;
  /** The same for the same mail, whenever and by whatever way it is read. */
  readonly hash: Buffer;
}

export type InboxMail =
  | {
      readonly kind: 'bounce';
      readonly refs: readonly MailRef[];
      readonly reports: readonly RecipientReport[];
      /** When the server that reports had received our mail. In epoch milliseconds; null: it does not say so. */
      readonly arrivedAt: number | null;
      /** As that of an answer. */
      readonly hash: Buffer;
    }
  | { readonly kind: 'complaint'; readonly refs: readonly MailRef[] }
  /** A mail to the address for refusals: its key decides, not its sender. */
  | { readonly kind: 'refusal'; readonly refs: readonly MailRef[] }
  | { readonly kind: 'reply' | 'auto_reply'; readonly refs: readonly MailRef[]; readonly answer: Answer }
  /**
   * It means nothing: it cannot be parsed, its report takes a complaint back or may be forged, or a mail program says
   * that somebody opened or deleted our mail.
   */
  | { readonly kind: 'ignored'; readonly why: 'unreadable' | 'not_spam' | 'sender_unknown' | 'receipt' };

/** It could not be parsed, and its header says nothing. */
export const UNREADABLE: InboxMail = { kind: 'ignored', why: 'unreadable' };

/** How a mail came in, where the way says so beside its header. */
export interface InboxEnvelope {
  /** The address it came to; null: only its header says so. */
  readonly recipient: string | null;
  /** Its envelope sender, '' for a bounce; null: only its header says so. */
  readonly sender: string | null;
}

/** That of a mail in a mailbox. */
export const NO_ENVELOPE: InboxEnvelope = { recipient: null, sender: null };

/** Longer mails are cut: reports stand at the beginning. In bytes. */
export const MAIL_BYTES_MAX = 256 * 1024;
