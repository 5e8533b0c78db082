import { MAX_OWN_COLUMNS, MAX_OWN_CONDITIONS } from '#domain/limits.ts';

/** The texts of the list about own fields and tags: their conditions and their columns. */
export const OWN_LIST_MESSAGES = {
  flags: { 1: 'はい', 0: 'いいえ' },
  /** For a name that is not loaded yet. */
  unknown: '…',
  goneField: 'なくなった項目',
  /** For an option that was erased since. */
  goneOption: 'なくなった選択肢',
  archived: '使用をやめた項目',
  archivedOption: '使用をやめた選択肢',
  archivedTag: '使用をやめたタグ',
  tags: {
    title: 'タグ',
    how: 'タグの条件',
    hows: { tags: 'いずれかを含む', tags_all: 'すべてを含む', tags_none: 'どれも含まない' },
    add: 'タグを選ぶ',
    remove: (label: string) => `タグ「${label}」を条件から外す`,
    /** For a tag that was merged or erased since. */
    gone: 'なくなったタグ',
    value: (labels: string, how: 'tags' | 'tags_all' | 'tags_none') =>
      ({ tags: labels, tags_all: `${labels}のすべて`, tags_none: `${labels}を除く` })[how],
  },
  fields: {
    title: '項目で絞り込む',
    add: '条件を追加',
    remove: (label: string) => `${label}の条件を外す`,
    most: `項目とタグの条件は、合わせて${MAX_OWN_CONDITIONS}個までです`,
    words: '「、」で区切ると、どれかの語を含む会社です',
    answers: { any: '指定なし', yes: 'はい', no: 'いいえ' },
    day: {
      not_a_number: '日付を最後まで入力してください',
      nothing_between: '終わりの日を、始まりの日以降にしてください',
    },
    number: {
      not_a_number: '数値を入力してください。入力例：1,200、1.5、1.2億',
      too_large: '数が大きすぎます。15桁までにしてください',
      nothing_between: '間に入る値がありません。上限を大きくしてください',
    },
    fromDay: (label: string) => `${label}（始まり）`,
    toDay: (label: string) => `${label}（終わり）`,
  },
  columns: {
    title: '主担当・タグ・自社の項目',
    tags: 'タグ',
    primary: '主担当',
    most: `主担当・タグ・自社の項目は、合わせて${MAX_OWN_COLUMNS}列まで表示できます。ほかの列を外してください`,
  },
} as const;
