import type { NoticeKind } from '#domain/account/notice.ts';

/** The user's words for each kind of notice, in mails and on screens. @param percent only for failures */
export const NOTICE_TITLES: Readonly<Record<NoticeKind, (percent: number | null) => string>> = {
  run_ended: () => '送信が終わりました',
  failures: (percent) => `失敗が${percent}%を超えました`,
  stopped: () => '送信が止まりました',
  reservation_missed: () => '予約が送信されませんでした',
  reply: () => '返信がありました',
  doubtful_reply: () => '配信停止を求めている可能性のある返信がありました',
  refusal: () => '配信停止の希望がありました',
  import_ended: () => '取り込みが終わりました',
  domain_bad: () => 'ドメインの設定に問題があります',
  mailbox_lost: () => 'メールボックスの接続が切れました',
  restored: () => '復元した時点の予定を確認してください',
  receipts_unwritable: () => '送信の記録を保存できません。サーバーの管理者に知らせてください',
};
