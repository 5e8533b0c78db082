import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { count, FIGURE_SEPARATOR, mails, withNote } from '#web/lib/phrases.ts';

/** The texts of a run that was open in a restored backup. */
export const RESTORED_RUN_MESSAGES = {
  send: {
    button: DATA_MESSAGES.restored.send,
    title: '予定どおりの送信',
    question: '予定どおり送信しますか？',
    consequence: 'その後に送信した宛先には、同じメールが2通届くことがあります。',
    done: '送信を再開しました',
  },
  drop: {
    button: DATA_MESSAGES.restored.drop,
    title: '送信の中止',
    question: '本当に送信しませんか？',
    consequence: 'まだ送っていないメールは送信されなくなります。元に戻せません。',
  },
} as const;

/** The texts of all runs and reservations that were open in a restored backup. */
export const RESTORED_MESSAGES = {
  open: (runs: number, unsent: number, reservations: number) =>
    [
      ...(runs === 0 ? [] : [withNote(`送信 ${count(runs)}`, mails(unsent))]),
      ...(reservations === 0 ? [] : [`予約 ${count(reservations)}`]),
    ].join(FIGURE_SEPARATOR),
  decided: (runs: number, reservations: number) =>
    [...(runs === 0 ? [] : [`送信${count(runs)}`]), ...(reservations === 0 ? [] : [`予約${count(reservations)}`])].join(
      'と',
    ),
  overHelp: (over: number) => `日時を過ぎた予約${count(over)}は、日時を変えるまで送信されません。`,
  send: {
    button: 'すべて予定どおり送信する',
    title: '予定どおりの送信',
    confirm: (decided: string) => `${decided}を予定どおり送信`,
    question: 'すべて予定どおり送信しますか？',
    consequence:
      'その後に送信した宛先には、同じメールが2通届くことがあります。取り消した送信や、一時停止していた送信も送られます。',
    done: (decided: string) => `${decided}を予定どおり送信します`,
  },
  drop: {
    button: 'すべて送信しない',
    title: '送信と予約の取り消し',
    confirm: (decided: string) => `${decided}を取り消し`,
    question: '本当にすべて送信しませんか？',
    consequence: '送信を中止し、予約を削除します。元に戻せません。',
    done: (decided: string) => `${decided}を取り消しました`,
  },
} as const;
