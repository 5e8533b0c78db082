import { MAX_EXTERNAL_ID_LENGTH } from '#domain/limits.ts';
import { count } from '#web/lib/phrases.ts';

/** The texts of a company's tags, own fields and external id. */
export const OWN_MESSAGES = {
  tags: 'タグ',
  addTag: 'タグを付ける',
  removeTag: (label: string) => `タグ「${label}」を外す`,
  title: '自社の項目',
  blank: (fields: number) => `空の項目（${count(fields)}）`,
  none: '（なし）',
  flags: { 1: 'はい', 0: 'いいえ' },
  edit: '自社の項目の編集',
  externalId: '外部ID',
  externalIdHelp: `ほかのシステムでの会社のIDです（${MAX_EXTERNAL_ID_LENGTH}文字まで）。保存すると変更できません。`,
  numberHelp: '「1.2億」や「3,500万」とも入力できます。',
  unchosen: '選択なし',
  discarding: { title: '変更の破棄', question: '保存していない変更を破棄しますか？', discard: '破棄' },
} as const;
