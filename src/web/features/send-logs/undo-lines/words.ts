import { companies, mails } from '#web/lib/phrases.ts';

/** The texts of the line of a run that can be taken back. */
export const UNDO_LINE_MESSAGES = {
  counting: (targets: number) => `${companies(targets)}に送信します`,
  secondsLeft: (seconds: number) => `あと ${seconds.toLocaleString('ja-JP')}秒`,
  planned: (at: string, targets: number) => `${at}に${companies(targets)}に送信します`,
  waiting: '送信を待っています',
  button: '送信を取り消す',
  partly: (cancelled: number, left: number) =>
    `残りの${mails(cancelled)}を取り消しました。${mails(left)}はすでに送信しています`,
  /** What became of the reservation that was sent now, by the answer. */
  givenBack: {
    restored: (at: string) => `${at}の予約に戻しました`,
    missed: (at: string) => `${at}の予約に戻しましたが、このままでは送信されません。日時を選び直してください`,
    taken: (at: string) =>
      `${at}には同じテンプレートの予約があるため、戻していません。送信するときは、その予約に会社を追加してください`,
  },
  reservedElsewhere: (count: number) => `ほかの予約に入っている${companies(count)}は、外しました`,
  seeReservation: '予約を見る',
} as const;
