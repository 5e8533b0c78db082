import type { DmarcPass } from '#domain/mail/origin.ts';
import type { AnswerWish } from '#domain/mail/reply-wish/wish.ts';

/** The types of mails in the inbox, with the mail of ours that each concerns. */

/** A reference to a mail of ours: its key, or the local part of its Message-ID. */
export type MailRef = { readonly key: string } | { readonly uuid: string };

/** A server's report about one recipient (RFC 3464). */
export interface RecipientReport {
  /** `delayed`, `relayed` and `expanded` are omitted: they are not final. */
  readonly action: 'failed' | 'delivered';
  /** In the form of addressKey; null: not given. */
  readonly finalRecipient: string | null;
  readonly originalRecipient: string | null;
  /** The enhanced status code (RFC 3463). */
  readonly status: string | null;
  readonly text: string;
}

/** A reply of a person or a robot. */
export interface Answer {
  /** In the form of addressKey; '': none. */
  readonly from: string;
  /** `from` is the only address of the only From field. */
  readonly isSingle: boolean;
  /** The topmost Authentication-Results, whoever wrote it. */
  readonly dmarc: DmarcPass | null;
  readonly subject: string;
  /** The text above the quotation, as plain text. */
  readonly excerpt: string;
  /** The reader's wish for no more mails, if any. */
  readonly wish: AnswerWish;
  /** The text shows that a program wrote it. */
  readonly isRobot: boolean;
  /** The same for the same mail, however often and by whatever way it is read. */
  readonly hash: Buffer;
  /** Of a mail in a member's mailbox: the keys that its text and its quotation hold. */
  readonly keys?: readonly string[];
}

export type InboxMail =
  | {
      readonly kind: 'bounce';
      readonly refs: readonly MailRef[];
      readonly reports: readonly RecipientReport[];
      /** When the reporting server had received our mail, in epoch milliseconds; null: not reported. */
      readonly arrivedAt: number | null;
      /** As for a reply. */
      readonly hash: Buffer;
    }
  | {
      readonly kind: 'complaint';
      readonly refs: readonly MailRef[];
      /** Of a mail in a member's mailbox: the complaining recipients that it names, in the form of addressKey. */
      readonly recipients?: readonly string[];
    }
  /** A mail to the opt-out address: its key decides, not its sender. */
  | { readonly kind: 'refusal'; readonly refs: readonly MailRef[] }
  | { readonly kind: 'reply' | 'auto_reply'; readonly refs: readonly MailRef[]; readonly answer: Answer }
  /**
   * A mail without effect: it cannot be parsed, its report withdraws a complaint or may be forged, or it is a read
   * receipt.
   */
  | { readonly kind: 'ignored'; readonly why: 'unreadable' | 'not_spam' | 'sender_unknown' | 'receipt' };

/** An unparseable mail whose header shows nothing. */
export const UNREADABLE: InboxMail = { kind: 'ignored', why: 'unreadable' };

/** The envelope of an incoming mail, if its transport reports one. */
export interface InboxEnvelope {
  /** The envelope recipient; null: only the header names it. */
  readonly recipient: string | null;
  /** The envelope sender, '' for a bounce; null: only the header names it. */
  readonly sender: string | null;
  /** The mail is in a member's mailbox: what the server of the inbox or another cell would have written is forged. */
  readonly isMailbox?: true;
}

/** The envelope of a mail in a mailbox. */
export const NO_ENVELOPE: InboxEnvelope = { recipient: null, sender: null };
/** The envelope of a mail in a member's mailbox. */
export const IN_MAILBOX: InboxEnvelope = { ...NO_ENVELOPE, isMailbox: true };

/** In bytes. Longer mails are cut: reports come first. */
export const MAIL_BYTES_MAX = 256 * 1024;
