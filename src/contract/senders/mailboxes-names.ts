/** The kinds of mailboxes, as their settings name them. */
export const MAILBOX_KINDS = ['smtp', 'google', 'microsoft'] as const;
export type MailboxKind = (typeof MAILBOX_KINDS)[number];

export const MAILBOX_KIND_NAMES: Readonly<Record<MailboxKind, string>> = {
  smtp: 'メールサーバー',
  google: 'Google Workspace',
  microsoft: 'Microsoft 365',
};

/** unchecked: not checked since its last change; reconnect: its log-in is refused; off: disconnected by a member. */
export const MAILBOX_STATES = ['unchecked', 'ok', 'reconnect', 'off'] as const;
export type MailboxState = (typeof MAILBOX_STATES)[number];

/** What a mailbox's server does with the Message-ID of our mails. */
export const MAILBOX_IDS = ['unknown', 'kept', 'replaced', 'lost'] as const;

/** Why no mail leaves by a mailbox for a while. */
export const MAILBOX_PAUSES = ['fault', 'limited', 'crowded', 'log_in'] as const;

/**
 * Why mails of a mailbox wait. disconnected: a member must connect it; unread: answers cannot be read, which its mails
 * rely on.
 */
export const MAILBOX_WAITS = [...MAILBOX_PAUSES, 'disconnected', 'unread'] as const;

/** The steps of a check, in order. */
export const MAILBOX_STEPS = ['host', 'connect', 'tls', 'login', 'from', 'imap', 'test_mail', 'message_id'] as const;
export type MailboxStep = (typeof MAILBOX_STEPS)[number];

export const MAILBOX_STEP_STATES = ['ok', 'look', 'bad', 'skipped'] as const;

export const MAILBOX_PORTS = [465, 587, 2525] as const;
