import type { AuditGroup, AuditSubject } from '#contract/account/audit-names.ts';

/** What a kind of event is called, for screen and export. */
export interface Sentence<Detail> {
  readonly group: AuditGroup;
  /** Who did it where no member did. Absent: the server's administrator. */
  readonly by?: string;
  /** The act, in the past, without its subject. Older programs may have written less of the details. */
  readonly text:
    | string
    | ((detail: { readonly [Name in keyof Detail]?: Detail[Name] | undefined }, nameOf: NameOf) => string);
}

/** The sentences of a list of kinds. A kind without one does not compile. */
export type Sentences<Events> = { readonly [Kind in keyof Events]: Sentence<Events[Kind]> };

/** Returns the name of a row of the account. */
export type NameOf = (type: AuditSubject, id: number) => string;

/** Returns a number with its unit; '' where an older program did not write it. */
export const count = (value: number | undefined, unit: string): string =>
  value === undefined ? '' : value.toLocaleString('ja-JP') + unit;

/** Returns details in brackets, without those that are not known. */
export const note = (...details: readonly (string | undefined | false)[]): string => {
  const known = details.filter((detail) => detail);
  return known.length === 0 ? '' : `（${known.join('・')}）`;
};

/** Returns a text after its label; '' for none. */
export const labelled = (label: string, text: string | undefined): string =>
  text === undefined || text === '' ? '' : `${label} ${text}`;

/** Returns the word for a value that older or newer programs may have written. */
export const wordOf = <Value extends string>(
  words: Readonly<Record<Value, string>>,
  value: Value | undefined,
): string => (value === undefined ? '' : (words[value] ?? value));

/** Returns the names of changed fields. */
export const namesOf = (words: Readonly<Record<string, string>>, fields: readonly string[] = []): string =>
  fields.map((field) => words[field] ?? field).join('、');

/** Returns "AからBに", without A where it was not written. */
export const fromTo = (from: string, to: string): string =>
  `${from === '' ? '' : `「${from}」から`}${to === '' ? '' : `「${to}」に`}`;
