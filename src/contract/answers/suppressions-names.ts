import type { SuppressionClass, SuppressionSource } from '#domain/law/suppression.ts';

/** The user's words for classes and sources of suppressions, in files and on screens. */
export const SUPPRESSION_CLASS_NAMES: Readonly<Record<SuppressionClass, string>> = {
  refused: '本人の希望',
  undeliverable: '宛先不明',
  blocked: '自社で禁止',
};

export const SUPPRESSION_SOURCE_NAMES: Readonly<Record<SuppressionSource, string>> = {
  link: '配信停止のページ',
  one_click: 'ワンクリック停止',
  mailto: '配信停止のメール',
  reply: '返信',
  manual: '手動',
  csv: 'CSV',
  smtp: '送信先のサーバー',
  dsn: '不達の通知',
  complaint: '迷惑メールの報告',
  sendgrid: 'SendGrid',
  erased: '個人情報の消去',
};
