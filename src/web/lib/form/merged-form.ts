/** How a draft is merged with what another member has saved: docs/decisions/concurrent-edits. */

/** What is stored: its form, and its version; null: a new thing, or one without versions. */
export interface Seen<Form> {
  readonly version: string | null;
  readonly form: Form;
}

/** What a person has typed, and the stored thing that it began from. */
export interface FormDraft<Form> {
  readonly base: Seen<Form>;
  readonly form: Form;
  /** The version that was on the screen at the last change. */
  readonly shown: string | null;
}

type FieldOf<Form> = keyof Form & string;

/** A field that somebody else has changed since the draft began. */
export type TheirField<Form> = {
  readonly [Field in FieldOf<Form>]: { readonly field: Field; readonly theirs: Form[Field] };
}[FieldOf<Form>];

export interface Merged<Form> {
  readonly form: Form;
  /** What the other person changed to another value than this person's. */
  readonly theirs: readonly TheirField<Form>[];
}

const fieldsOf = <Form extends object>(form: Form) => Object.keys(form) as FieldOf<Form>[];

const trimmed = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value);

/** Returns the fields that were changed, not counting the white space around them. */
export const changedNames = <Form extends object>(form: Form, base: Form): FieldOf<Form>[] =>
  fieldsOf(base).filter((field) => trimmed(form[field]) !== trimmed(base[field]));

const theirsIn = <Form extends object>(fields: readonly FieldOf<Form>[], { form }: Seen<Form>) =>
  fields.map((field) => ({ field, theirs: form[field] })) as readonly TheirField<Form>[];

/**
 * Merges a draft with what is stored now.
 * A field that only the other person changed takes their value. A field that both changed keeps this person's.
 */
export function mergeFields<Form extends object>({ base, form }: FormDraft<Form>, stored: Seen<Form>): Merged<Form> {
  const own = new Set(changedNames(form, base.form));
  const theirs = fieldsOf(stored.form).filter((field) => stored.form[field] !== base.form[field]);
  const taken = theirs.filter((field) => !own.has(field)).map((field) => [field, stored.form[field]]);
  const differ = theirs.filter((field) => stored.form[field] !== trimmed(form[field]));
  return {
    form: { ...form, ...Object.fromEntries(taken) },
    theirs: base.version === stored.version ? [] : theirsIn(differ, stored),
  };
}

/** Keeps the whole draft beside what is stored now: its fields belong together. */
export const keepWhole = <Form extends object>({ base, form }: FormDraft<Form>, stored: Seen<Form>): Merged<Form> => ({
  form,
  theirs: base.version === stored.version ? [] : theirsIn(changedNames(form, stored.form), stored),
});
