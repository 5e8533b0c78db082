import { type ReactNode, useState } from 'react';
import { addressee } from '#domain/mail/addressee.ts';
import { Button } from '#web/components/button.tsx';
import fieldStyles from '#web/components/field/field.module.css';
import { Field } from '#web/components/field/field.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import type { Faults } from '#web/lib/api/faults-of.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { withNote } from '#web/lib/phrases.ts';
import styles from './company-form.module.css';
import { type CompanyForm, FORM_ORDER, type FormField, labelOf } from './company-form.ts';
import { COMPANY_FORM_MESSAGES } from './words.ts';

interface Props {
  readonly form: CompanyForm;
  readonly stored: CompanyForm;
  readonly faults: Faults;
  /** The name of the group whose remarks are shown; undefined: there is no group. */
  readonly groupName: string | undefined;
  /** A save is running. */
  readonly busy: boolean;
  /** Shows only the fields that a new company needs at first. */
  readonly isShort: boolean;
  /** The field that gets the first focus. */
  readonly first: FormField;
  readonly onChange: (field: FormField, value: string) => void;
  /** The notes below the fields. */
  readonly notes: Readonly<Partial<Record<FormField, ReactNode>>>;
}

const { help } = COMPANY_FORM_MESSAGES;
const { notices } = DATA_MESSAGES.prospects;
const NOTICES = [
  { value: '', label: COMPANY_FORM_MESSAGES.notice.unknown },
  { value: 'refused', label: notices.refused },
  { value: 'none', label: notices.none },
];
const HELPS: Readonly<Partial<Record<FormField, string>>> = {
  included_industry_type: help.industries,
  amount_of_sales: help.amount,
  corporate_number: help.corporateNumber,
  external_id: help.externalId,
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

/** Fields that every new company needs. The others are folded below. */
const FIRST = FORM_ORDER.slice(0, 3);
const REST = FORM_ORDER.slice(3);

/** Shows all fields of a company, each with its error. */
export function CompanyFields(props: Props) {
  const { form, faults, groupName, busy, isShort, onChange } = props;
  const [isOpen, setOpen] = useState(!isShort);
  const hidden: readonly FormField[] = [...REST, 'remarks'];
  // Unfolds fields with a restored draft or a server error, and leaves them unfolded.
  if (!isOpen && hidden.some((field) => form[field] !== '' || faults[field] !== undefined)) setOpen(true);
  return (
    <div className={styles.fields}>
      {(isOpen ? FORM_ORDER : FIRST).map((field) => (
        <OneField key={field} {...props} field={field} />
      ))}
      {isOpen ? null : (
        <Button variant="quiet" className={styles.more} aria-expanded={false} onClick={() => setOpen(true)}>
          {COMPANY_FORM_MESSAGES.more}
        </Button>
      )}
      {groupName === undefined || !isOpen ? null : (
        <Field label={COMPANY_FORM_MESSAGES.remarks(groupName)} error={faults.remarks} className={styles.wide}>
          {(control) => (
            <textarea
              {...control}
              className={fieldStyles.control}
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

type OneFieldProps = Props & { readonly field: (typeof FORM_ORDER)[number] };

function OneField({ field, form, stored, faults, busy, first, onChange, notes }: OneFieldProps) {
  const isName = field === 'company_name';
  return (
    <div className={WIDE.includes(field) ? styles.wide : undefined}>
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
          label={isName ? withNote(labelOf(field), COMPANY_FORM_MESSAGES.required) : labelOf(field)}
          help={HELPS[field]}
          error={faults[field]}
          // Sets the keyboard without the input's type: the browser would change the text, and the server also reads
          // 全角.
          inputMode={TYPES[field]}
          autoComplete="off"
          aria-required={isName || undefined}
          // An external id is set once.
          readOnly={busy || (field === 'external_id' && stored.external_id !== '')}
          data-autofocus={field === first || undefined}
          value={form[field]}
          onChange={(value) => onChange(field, value)}
        />
      )}
      {notes[field]}
      {field === 'ceo' ? <p className="note">{COMPANY_FORM_MESSAGES.addressee(addressee(form.ceo))}</p> : null}
    </div>
  );
}
