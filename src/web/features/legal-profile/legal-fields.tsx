import { useId } from 'react';
import type { LegalProfile } from '#domain/law/profile.ts';
import { SelectField } from '#web/components/field/select-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import styles from './legal-profile.module.css';
import type { EditedProfile } from './use-legal-form.ts';
import { LEGAL_MESSAGES as messages } from './words.ts';

type TextName = Exclude<keyof LegalProfile, 'basis'>;

const BASES = Object.entries(messages.bases).map(([value, label]) => ({ value, label }));

/** The autofill names of the fields, and their keyboards on phones. */
const INPUTS: Partial<
  Record<TextName, { readonly autoComplete?: string; readonly inputMode?: 'email' | 'tel' | 'url' }>
> = {
  official_name: { autoComplete: 'organization' },
  postal_code: { autoComplete: 'postal-code', inputMode: 'tel' },
  contact_phone: { autoComplete: 'tel', inputMode: 'tel' },
  contact_email: { inputMode: 'email' },
  contact_url: { inputMode: 'url' },
  refusal_email: { inputMode: 'email' },
  privacy_url: { inputMode: 'url' },
};

interface Props {
  readonly edited: EditedProfile;
  /** Whether recipients can open links of this server. */
  readonly hasPublicUrl: boolean;
  /** The mailbox that takes refusals if the profile names no address. */
  readonly refusalMailbox: string | null;
}

/** Shows the fields of a profile, each with its errors. */
export function LegalFields({ edited, hasPublicUrl, refusalMailbox }: Props) {
  const { form, faultOf, warningOf, change } = edited;
  const withoutUrl = refusalMailbox === null ? 'refusalEmailRequired' : 'refusalEmailOfMailbox';
  const refusal = hasPublicUrl ? 'refusal_email' : withoutUrl;
  const text = (name: TextName, label: keyof typeof messages.fields = name) => (
    <TextField
      {...INPUTS[name]}
      name={name}
      label={messages.fields[label]}
      help={warningOf(name) ?? messages.fieldHelp[label]}
      error={faultOf(name)}
      value={form[name]}
      onChange={(value) => change({ [name]: value })}
    />
  );
  return (
    <>
      <Section title={messages.sections.sender}>
        {text('official_name')}
        {text('department')}
        {text('postal_code')}
        {text('postal_address')}
      </Section>
      <Section title={messages.sections.contact}>
        {text('contact_phone')}
        {text('contact_email')}
        {text('contact_url')}
      </Section>
      <Section title={messages.sections.refusal}>
        {text('refusal_email', refusal)}
        {text('privacy_url')}
        <SelectField
          label={messages.fields.basis}
          help={messages.fieldHelp.basis}
          error={faultOf('basis')}
          choices={BASES}
          value={form.basis}
          onChange={(basis) => change({ basis: basis as LegalProfile['basis'] })}
        />
      </Section>
      <Confirmation edited={edited} />
    </>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <fieldset className={styles.section}>
      <legend>{title}</legend>
      <div className={`stack ${styles.fields}`}>{children}</div>
    </fieldset>
  );
}

function Confirmation({ edited: { form, faultOf, change } }: Pick<Props, 'edited'>) {
  const id = useId();
  const fault = faultOf('confirmed');
  return (
    <div className={`tint ${styles.confirmation}`}>
      <label>
        <input
          type="checkbox"
          checked={form.confirmed}
          aria-invalid={fault === undefined ? undefined : true}
          aria-describedby={id}
          onChange={(event) => change({ confirmed: event.target.checked })}
        />
        {messages.confirmed}
      </label>
      <p id={id} className={fault === undefined ? 'note' : 'fault'}>
        {fault ?? messages.confirmedHelp}
      </p>
    </div>
  );
}
