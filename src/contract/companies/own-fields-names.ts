/** The types of own fields of companies. */
export const OWN_FIELD_TYPES = ['text', 'number', 'date', 'choice', 'flag', 'url'] as const;
export type OwnFieldType = (typeof OWN_FIELD_TYPES)[number];

/** The colours of tags, by number. */
export const TAG_COLOURS = 8;

/** The names of the types on screens. */
export const OWN_FIELD_TYPE_NAMES: Readonly<Record<OwnFieldType, string>> = {
  text: '文字',
  number: '数値',
  date: '日付',
  choice: '選択',
  flag: 'はい・いいえ',
  url: 'URL',
};

/** The columns of tags and of the 主担当 among the own columns of a list. No field has these keys. */
export const TAGS_COLUMN = 'tags';
export const PRIMARY_COLUMN = 'primary';
