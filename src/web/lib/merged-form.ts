/** Forms of things that two members may edit: docs/decisions/concurrent-edits. */

/** The values of a form, by field. */
type Values<Field extends string> = Readonly<Record<Field, string | boolean>>;

/** What is stored: its form, and the version that a save names; null: a new thing. */
export interface Seen<Form> {
  readonly version: string | null;
  readonly form: Form;
}

/** What a person has typed, and the stored thing that it began from. */
export interface FormDraft<Form> {
  readonly base: Seen<Form>;
  readonly form: Form;
}

/** A field that somebody else has changed since the draft began. */
export interface TheirField<Field extends string> {
  readonly field: Field;
  readonly theirs: string | boolean;
}

const trimmed = (value: string | boolean): string | boolean => (typeof value === 'string' ? value.trim() : value);

/** Returns the fields that were changed, without the white space around them. */
export const changedNames = <Field extends string>(
  fields: readonly Field[],
  form: Values<Field>,
  base: Values<Field>,
): Field[] => fields.filter((field) => trimmed(form[field]) !== trimmed(base[field]));

/**
 * Merges a draft with what is stored now.
 * A field that only the other person changed takes their value. A field that both changed keeps this person's.
 *
 * @returns the form, and what the other person changed to another value than this person's
 */
export function mergedForm<Field extends string, Form extends Values<Field>>(
  fields: readonly Field[],
  { base, form }: FormDraft<Form>,
  stored: Seen<Form>,
): { readonly form: Form; readonly theirs: readonly TheirField<Field>[] } {
  const own = new Set(changedNames(fields, form, base.form));
  const next = Object.fromEntries(
    fields.map((field) => [field, own.has(field) ? form[field] : stored.form[field]]),
  ) as unknown as Form;
  if (base.version === stored.version) return { form: next, theirs: [] };
  const theirs = fields.filter(
    (field) => stored.form[field] !== base.form[field] && stored.form[field] !== trimmed(form[field]),
  );
  return { form: next, theirs: theirs.map((field) => ({ field, theirs: stored.form[field] })) };
}
