import type { ReactNode } from 'react';
import { addressee } from '#domain/mail/addressee.ts';
import fieldStyles from '#web/components/field.module.css';
import { Field } from '#web/components/field.tsx';
import { SelectField } from '#web/components/select-field.tsx';
import { TextField } from '#web/components/text-field.tsx';
import type { Faults } from '#web/lib/faults-of.ts';
import { withNote } from '#web/lib/phrases.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './company-form.module.css';
import { COMPANY_FIELDS, type CompanyForm, type FormField, labelOf } from './company-form.ts';
import { COMPANY_FORM_MESSAGES } from './words.ts';

interface Props {
  readonly form: CompanyForm;
  readonly faults: Faults;
  /** The name of the group whose remarks are shown; undefined: there is no group. */
  readonly groupName: string | undefined;
  /** A save is running. */
  readonly busy: boolean;
  readonly onChange: (field: FormField, value: string) => void;
  /** Shown below some fields. */
  readonly notes: Readonly<Partial<Record<FormField, ReactNode>>>;
}

const { help } = COMPANY_FORM_MESSAGES;
const { notices } = COMMON_MESSAGES.prospects;
const NOTICES = [
  { value: '', label: COMPANY_FORM_MESSAGES.notice.unknown },
  { value: 'refused', label: notices.refused },
  { value: 'none', label: notices.none },
];
const HELPS: Readonly<Partial<Record<FormField, string>>> = {
  included_industry_type: help.industries,
  amount_of_sales: help.amount,
  corporate_number: help.corporateNumber,
  published_at_url: help.publishedAt,
  published_seen_on: help.seenOn,
  publication_notice: help.notice,
};
const TYPES: Readonly<Partial<Record<FormField, 'email' | 'url' | 'tel'>>> = {
  company_email: 'email',
  company_url: 'url',
  contact_url: 'url',
  phone: 'tel',
  published_at_url: 'url',
};
const WIDE: readonly FormField[] = [
  'company_name',
  'company_email',
  'ceo',
  'address',
  'company_url',
  'contact_url',
  'published_at_url',
];

/** All fields of a company. Each fault stands at its field. */
export function CompanyFields({ form, faults, groupName, busy, onChange, notes }: Props) {
  return (
    <div className={styles.fields}>
      {COMPANY_FIELDS.map((field, index) => (
        <div key={field} className={WIDE.includes(field) ? styles.wide : undefined}>
          {field === 'publication_notice' ? (
            <SelectField
              label={labelOf(field)}
              help={HELPS[field]}
              error={faults[field]}
              disabled={busy}
              choices={NOTICES}
              value={form[field]}
              onChange={(value) => onChange(field, value)}
            />
          ) : (
            <TextField
              label={
                field === 'company_name' ? withNote(labelOf(field), COMPANY_FORM_MESSAGES.required) : labelOf(field)
              }
              help={HELPS[field]}
              error={faults[field]}
              // Not the type of the input: the browser would change what was typed, and the server reads 全角 too.
              inputMode={TYPES[field]}
              autoComplete="off"
              aria-required={field === 'company_name' || undefined}
              readOnly={busy}
              data-autofocus={index === 0 || undefined}
              value={form[field]}
              onChange={(value) => onChange(field, value)}
            />
          )}
          {notes[field]}
          {field === 'ceo' ? (
            <p className={styles.addressee}>{COMPANY_FORM_MESSAGES.addressee(addressee(form.ceo))}</p>
          ) : null}
        </div>
      ))}
      {groupName === undefined ? null : (
        <Field label={COMPANY_FORM_MESSAGES.remarks(groupName)} error={faults.remarks} className={styles.wide}>
          {(control) => (
            <textarea
              {...control}
              className={`${fieldStyles.control} ${styles.remarks}`}
              rows={2}
              readOnly={busy}
              value={form.remarks}
              onChange={(event) => onChange('remarks', event.target.value)}
            />
          )}
        </Field>
      )}
    </div>
  );
}
