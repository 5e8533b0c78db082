import { companies, mails } from '#web/lib/phrases.ts';

/** The sentences about a run, which are shown one after another. */
export const RUN_SENTENCE_MESSAGES = {
  none: '送る会社がありませんでした。',
  stopped: '送信を中止しました。',
  waits: {
    paused: '一時停止しています。',
    restored: '予定どおり送信するかどうかの確認を待っています。',
    rewound: 'データベースが過去の状態に戻ったため、止まっています。',
  },
  /** Why the mails of a mailbox wait, and until when, if that is known. */
  mailboxWaits: {
    fault: 'メールボックスに接続できません。',
    limited: 'メールボックスの送信の上限に達しました。',
    crowded: 'メールボックスの接続の数が上限に達しています。',
    log_in: 'メールボックスにログインできません。',
    disconnected: 'メールボックスの接続が切れています。設定のメールボックスでつなぎ直すと、続きを送ります。',
    unread: '返信を受信できないため、送信を止めています。',
  },
  mailboxUntil: (at: string) => `${at}に再開します。`,
  real: {
    begins: (targets: number) => `${companies(targets)}に送っています。`,
    waits: (targets: number) => `${companies(targets)}への送信を待っています。`,
    goesOn: (targets: number) => `そのあと${companies(targets)}に送ります。`,
    partly: (sent: number, targets: number) => `${companies(targets)}のうち${companies(sent)}まで送りました。`,
    sent: (sent: number) => `${companies(sent)}に送りました。`,
    failed: (failed: number) => `${companies(failed)}には届きませんでした。`,
    unknown: (unknown: number) => `${companies(unknown)}は結果がわかりません。`,
    cancelled: (cancelled: number) => `${companies(cancelled)}には送っていません。`,
  },
  test: {
    begins: (targets: number) => `テストメールを${mails(targets)}送っています。`,
    waits: (targets: number) => `テストメール${mails(targets)}の送信を待っています。`,
    goesOn: (targets: number) => `そのあとテストメールを${mails(targets)}送ります。`,
    partly: (sent: number, targets: number) => `テストメール${mails(targets)}のうち${mails(sent)}まで送りました。`,
    sent: (sent: number) => `テストメールを${mails(sent)}送りました。`,
    failed: (failed: number) => `${mails(failed)}は届きませんでした。`,
    unknown: (unknown: number) => `${mails(unknown)}は結果がわかりません。`,
    cancelled: (cancelled: number) => `${mails(cancelled)}は送っていません。`,
  },
} as const;
