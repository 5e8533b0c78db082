import type { PersonField } from './people.ts';

/** The user's words for what is stored of a person. */
export const PERSON_FIELD_NAMES: Readonly<Record<PersonField, string>> = {
  name: '氏名',
  department: '部署',
  title: '役職',
  email: '担当者メール',
  phone: '電話番号（携帯・直通）',
  met_on: '名刺交換日',
};

const CHANGED: Readonly<Record<string, string>> = { ...PERSON_FIELD_NAMES, archived: '宛先から外す' };

/** Returns the name of a person's field in a history, as `person.5.title`; undefined: the field is a company's. */
export function personFieldName(field: string): string | undefined {
  const [, column] = /^person\.\d+\.(\w+)$/.exec(field) ?? [];
  return column === undefined ? undefined : `相手の人の${CHANGED[column] ?? column}`;
}
