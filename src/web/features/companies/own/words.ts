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
  numberHelp: '「1.2億」や「3,500万」とも入力できます。',
  unchosen: '選択なし',
} as const;
