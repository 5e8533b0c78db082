import type { MailboxKind } from '#contract/senders/mailboxes-names.ts';

interface NamedMailbox {
  readonly mailbox_id: number;
  readonly address: string;
}

/** Audit events of mailboxes, and of the account's registrations at their providers. */
export interface MailboxEvents {
  readonly mailbox_added: NamedMailbox & { readonly mailbox_kind: MailboxKind; readonly is_shared: boolean };
  /** `fields` names what changed. */
  readonly mailbox_changed: NamedMailbox & { readonly fields: readonly string[] };
  /** A check, or a consent, made it usable. */
  readonly mailbox_connected: NamedMailbox;
  readonly mailbox_disconnected: NamedMailbox;
  /** Its server or provider refuses the log-in. */
  readonly mailbox_lost: NamedMailbox & { readonly reply: string };
  readonly oauth_app_changed: {
    readonly provider: Exclude<MailboxKind, 'smtp'>;
    readonly client_id: string;
    readonly secret_changed: boolean;
  };
}
