import type { NoticeKind } from '#domain/notice.ts';
import { count, withNote } from '#web/lib/phrases.ts';

/** The texts of the bell, and of 設定 › 通知. */
export const NOTICE_MESSAGES = {
  title: '通知',
  help: '出来事ごとに、画面のベルとメールのどちらで知らせるかを選びます。自分だけの設定で、すぐに保存されます。',
  bell: (unread: number) => (unread === 0 ? '通知' : withNote('通知', `未読${count(unread)}`)),
  badge: (unread: number) => (unread > 99 ? '99+' : `${unread}`),
  unreadOnly: '未読のみ',
  readAll: 'すべて既読にする',
  open: '設定を開く',
  counted: (title: string, events: number) => (events > 1 ? withNote(title, count(events)) : title),
  rest: (events: number) => `ほか${count(events)}`,
  unread: '未読',
  none: '通知はありません',
  noneHelp: '送信の終わりや返信などが、ここに30日間出ます。',
  noneUnread: '未読の通知はありません',
  more: 'さらに表示',
  event: '出来事',
  screen: '画面',
  mail: 'メール',
  kinds: {
    run_ended: '送信が終わった',
    failures: '失敗が決めた割合を超えた',
    stopped: '送信が止まった',
    reservation_missed: '予約が送信されなかった',
    reply: '返信が来た',
    refusal: '配信停止の希望が来た',
    import_ended: '取り込みが終わった',
    domain_bad: 'ドメインの設定に問題が出た',
  } satisfies Record<NoticeKind, string>,
  inPlace: (kind: string, place: string) => `${kind}（${place}）`,
  failurePercent: '失敗を知らせる割合',
  percent: (value: number) => `${value}%`,
  summary: '毎朝8時のまとめ',
  summaryHelp: '前日の送信・返信・配信停止と、当日の予約の数をメールで送ります。何もなかった日は送りません。',
  stormHelp: '同じ種類の出来事が続くときは、1時間ごとに1件にまとめて、数を知らせます。',
} as const;
