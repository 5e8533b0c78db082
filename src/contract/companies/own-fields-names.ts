/** The types of own fields of companies. */
export const OWN_FIELD_TYPES = ['text', 'number', 'date', 'choice', 'flag', 'url'] as const;
export type OwnFieldType = (typeof OWN_FIELD_TYPES)[number];

/** The colours of tags, by number. */
export const TAG_COLOURS = 8;
