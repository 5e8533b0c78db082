/** Merges a draft with what another member has saved: docs/decisions/concurrent-edits. */

/** The stored form and its version; null: a new object, or one without versions. */
export interface Seen<Form> {
  readonly version: string | null;
  readonly form: Form;
}

/** The typed form, and the stored one that it is based on. */
export interface FormDraft<Form> {
  readonly base: Seen<Form>;
  readonly form: Form;
  /** The version on screen at the last change. */
  readonly shown: string | null;
}

type FieldOf<Form> = keyof Form & string;

/** A field that somebody else has changed since the draft began. */
export type TheirField<Form> = {
  readonly [Field in FieldOf<Form>]: { readonly field: Field; readonly theirs: Form[Field] };
}[FieldOf<Form>];

export interface Merged<Form> {
  readonly form: Form;
  /** The other member's values that differ from the typed ones. */
  readonly theirs: readonly TheirField<Form>[];
}

const fieldsOf = <Form extends object>(form: Form) => Object.keys(form) as FieldOf<Form>[];

/** A value as it is compared: a text without the white space around it, a list by what it holds. */
function compared(value: unknown): unknown {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

/** Returns the names of changed fields, ignoring white space around the values. */
export const changedNames = <Form extends object>(form: Form, base: Form): FieldOf<Form>[] =>
  fieldsOf(base).filter((field) => compared(form[field]) !== compared(base[field]));

const theirsIn = <Form extends object>(fields: readonly FieldOf<Form>[], { form }: Seen<Form>) =>
  fields.map((field) => ({ field, theirs: form[field] })) as readonly TheirField<Form>[];

/**
 * Merges a draft with the stored form.
 * A field that only the other member changed takes the stored value. A field that both changed keeps the typed one.
 */
export function mergeFields<Form extends object>({ base, form }: FormDraft<Form>, stored: Seen<Form>): Merged<Form> {
  const own = new Set(changedNames(form, base.form));
  const theirs = changedNames(base.form, stored.form);
  const taken = theirs.filter((field) => !own.has(field)).map((field) => [field, stored.form[field]]);
  const differ = theirs.filter((field) => compared(stored.form[field]) !== compared(form[field]));
  return {
    form: { ...form, ...Object.fromEntries(taken) },
    theirs: base.version === stored.version ? [] : theirsIn(differ, stored),
  };
}

/** Keeps the whole draft over the stored form, because its fields belong together. */
export const keepWhole = <Form extends object>({ base, form }: FormDraft<Form>, stored: Seen<Form>): Merged<Form> => ({
  form,
  theirs: base.version === stored.version ? [] : theirsIn(changedNames(form, stored.form), stored),
});
