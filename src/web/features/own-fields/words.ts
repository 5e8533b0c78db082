import { OWN_FIELD_TYPE_NAMES } from '#contract/companies/own-fields-names.ts';
import { MAX_FIELD_OPTIONS } from '#domain/limits.ts';
import { companies, count } from '#web/lib/phrases.ts';

/** The texts of the account's own fields. */
export const OWN_FIELD_MESSAGES = {
  title: '項目とタグ',
  help: '会社に、自社の項目とタグを付けられます。リストの絞り込みと、メールの差し込みに使えます。',
  heading: '項目',
  add: '項目を追加',
  none: '項目はまだありません',
  noneHelp: '展示会名やランクなど、会社ごとに控えておきたいことを項目にできます。',
  archived: (fields: number) => `使用をやめた項目（${count(fields)}）`,
  columns: {
    label: '項目名',
    type: '種類',
    key: '差し込み名',
    companies: '使用',
    templates: 'テンプレート',
    act: '操作',
  },
  companies,
  templates: count,
  /** While companies are counted. */
  counting: '…',
  mergeField: (key: string) => `{{ custom.${key} }}`,
  actsOf: (label: string) => `${label}の操作`,
  acts: { edit: '編集', up: '上へ', down: '下へ', archive: '使用をやめる', restore: '使用を再開' },
  archivedNow: (label: string) => `「${label}」の使用をやめました`,
  restored: (label: string) => `「${label}」の使用を再開しました`,
  undo: '元に戻す',
  dialog: { add: '項目の追加', edit: '項目の編集' },
  addAct: '追加',
  added: (label: string) => `「${label}」を追加しました`,
  saved: (label: string) => `「${label}」を保存しました`,
  fields: { label: '項目名（必須）', type: '種類', key: '差し込み名', options: '選択肢' },
  labelHelp: '入力例：展示会名',
  typeHelp: '種類は、あとから変えられません。',
  keyHelp: '文面に {{ custom.event }} のように書きます。空なら自動で付けます。あとから変えられません。\n入力例：event',
  labelMissing: '項目名が入力されていません',
  optionMissing: '選択肢を入力してください',
  optionsHelp: `${MAX_FIELD_OPTIONS}個まで入力できます。使用をやめた選択肢の値は、会社に残ります。`,
  optionOf: (place: number) => `選択肢${place}`,
  addOption: '選択肢を追加',
  optionActs: {
    up: (label: string) => `「${label}」を上へ`,
    down: (label: string) => `「${label}」を下へ`,
    archive: (label: string) => `「${label}」の使用をやめる`,
    restore: (label: string) => `「${label}」の使用を再開`,
    /** For an option that is not saved yet. */
    remove: (label: string) => `「${label}」を削除`,
  },
  types: OWN_FIELD_TYPE_NAMES,
} as const;

/** The texts of tags. */
export const TAG_MESSAGES = {
  heading: 'タグ',
  add: 'タグを追加',
  none: 'タグはまだありません',
  noneHelp: '「重点」「秋の展示会」などのタグを会社に付けると、あとから絞り込めます。',
  archived: (tags: number) => `使用をやめたタグ（${count(tags)}）`,
  columns: { label: 'タグ', companies: '使用', act: '操作' },
  actsOf: (label: string) => `タグ「${label}」の操作`,
  acts: { edit: '編集', merge: '統合', archive: '使用をやめる', restore: '使用を再開' },
  dialog: { add: 'タグの追加', edit: 'タグの編集' },
  added: (label: string) => `タグ「${label}」を追加しました`,
  saved: (label: string) => `タグ「${label}」を保存しました`,
  archivedNow: (label: string) => `タグ「${label}」の使用をやめました`,
  restored: (label: string) => `タグ「${label}」の使用を再開しました`,
  label: 'タグ名（必須）',
  labelHelp: '入力例：重点',
  labelMissing: 'タグ名が入力されていません',
  colour: '色',
  colours: ['灰', '青灰', '茶', '緑', '赤', '紫', '青緑', '青'],
  merging: {
    title: 'タグの統合',
    into: '統合先',
    choose: '選んでください',
    missing: '統合先を選んでください',
    moveHelp: (from: string, into: string, number: string) =>
      `「${from}」の${number}を「${into}」に移し、「${from}」を削除します。`,
    consequence: '元に戻せません。',
    merge: '統合',
    merged: (from: string, into: string) => `「${from}」を「${into}」に統合しました`,
    all: '会社',
  },
} as const;
