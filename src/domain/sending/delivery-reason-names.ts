import type { DeliveryReason } from './delivery-state.ts';

/** The user's words for reasons of skipped and cancelled mails, on screens and in files. */
export const DELIVERY_REASON_NAMES = {
  archived: 'アーカイブ済み',
  inactive: '無効',
  no_email: 'メールアドレスなし',
  suppressed: '配信停止',
  maybe_refused: '返信の確認待ち',
  replied: '返信あり',
  refused_by_notice: '営業お断り',
  reserved: '予約中',
  open_delivery: '送信処理中',
  rejected: '相手のサーバーに拒否された宛先',
  recently_sent: '再送信間隔内に送信済み',
  recently_sent_elsewhere: 'ほかのグループが再送信間隔内に送信',
  duplicate: '重複',
  domain_limit: '同じドメインの上限',
  not_found: '見込み客にない',
  sample: '見本の会社',
  not_followable: 'フォローアップの対象外',
  other_person: '前のメールと宛先の人が違います',
  blanked: '保存期間を過ぎて宛先を消去済み',
  run_cancelled: '送信の取り消し・中止',
  counted_as_sent: '送信済みとして扱ったメール',
  sender_unconfirmed: '差出人のアドレスが未確認',
  legal_incomplete: '法定表示の不足',
} as const satisfies Readonly<Record<DeliveryReason, string>>;
