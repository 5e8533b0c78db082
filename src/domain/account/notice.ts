/** The kinds of events of which members are notified. */
export const NOTICE_KINDS = [
  'run_ended',
  'failures',
  'stopped',
  'reservation_missed',
  'reply',
  'doubtful_reply',
  'refusal',
  'import_ended',
  'domain_bad',
  'mailbox_lost',
  'restored',
  'receipts_unwritable',
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** How long a mail about the first event of a kind waits for further ones. */
export const GATHER_MINUTES: Readonly<Record<NoticeKind, number>> = {
  run_ended: 0,
  failures: 0,
  stopped: 0,
  reservation_missed: 0,
  // People reply within the hour, so a reply is mailed soon.
  reply: 5,
  doubtful_reply: 5,
  refusal: 60,
  import_ended: 0,
  domain_bad: 0,
  mailbox_lost: 0,
  restored: 0,
  receipts_unwritable: 0,
};

/** Events of a kind within this time form one notice. Further mails about a kind are as far apart. */
export const NOTICE_WINDOW_MINUTES = 60;
/** How long notices are kept. */
export const NOTICE_DAYS = 30;
/** The most names that a notice shows. */
export const NOTICE_SUBJECTS_MAX = 5;

/** The hour in Tokyo at which the morning summary is sent. A worker that starts later sends none that day. */
export const SUMMARY_HOUR = 8;
export const LATEST_SUMMARY_HOUR = 12;

const RETRY_MINUTES = [1, 5, 15, 60, 240, 240, 240, 240];

/** Minutes until a notice mail is retried after the `attempts`-th attempt; null: given up. */
export const noticeRetryMinutes = (attempts: number): number | null => RETRY_MINUTES[attempts - 1] ?? null;
