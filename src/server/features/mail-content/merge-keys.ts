import { perRun } from './per-run.ts';
import { readTemplate } from './template.ts';
import { ownKeyOf, rootOf } from './template-walk.ts';

/** What a run's templates name of own fields and of the person. */
export interface MergeKeys {
  readonly custom: readonly string[];
  readonly person: boolean;
}

/** Values of own fields and of the person, as a mail keeps them from its acceptance (`delivery.merge_values`). */
export interface MergeValues {
  readonly custom?: Readonly<Record<string, string>>;
  readonly person?: PersonTexts;
}

export interface PersonTexts {
  readonly name: string;
  readonly department: string;
  readonly title: string;
}

/** Of a mail to the company's own address. */
export const NO_PERSON: PersonTexts = { name: '', department: '', title: '' };

interface Templates {
  readonly subject: string;
  readonly text_body: string;
  readonly html_body: string;
}

/** A source without a match names neither; most are not parsed for it. A backslash may begin a letter's code. */
const MAY_NAME = /custom|person\b|\\/;

/** Returns what the templates of a run name. One that fails the check names nothing. */
export const mergeKeysOf = perRun(({ subject, text_body, html_body }: Templates): MergeKeys => {
  const fields = Object.entries({ subject, text_body, html_body }).flatMap(([part, source]) => {
    const read = MAY_NAME.test(source) ? readTemplate(part as keyof Templates, source) : null;
    return read?.ok ? [...read.fields] : [];
  });
  return {
    custom: [...new Set(fields.flatMap((path) => ownKeyOf(path) ?? []))].sort(),
    person: fields.some((path) => rootOf(path) === 'person'),
  };
});

/** Returns values of an example mail: the example's person, and a text for each own field. */
export const exampleValues = ({ custom }: MergeKeys, person: string, textOf: (key: string) => string): MergeValues => ({
  custom: Object.fromEntries(custom.map((key) => [key, textOf(key)])),
  person: { name: person, department: '見本部', title: '部長' },
});

/** The values of mails that have none of their own, so that each field has a text. */
const blankValues = perRun((templates: Templates) => ({
  custom: Object.fromEntries(mergeKeysOf(templates).custom.map((key) => [key, ''])),
  person: NO_PERSON,
}));

/** Returns the values with which a mail is rendered: those stored with it, else ''. @param stored null: none */
export function mergeFieldsOf(templates: Templates, stored: MergeValues | null = null) {
  const blank = blankValues(templates);
  if (stored === null) return blank;
  return { custom: { ...blank.custom, ...stored.custom }, person: { ...blank.person, ...stored.person } };
}
