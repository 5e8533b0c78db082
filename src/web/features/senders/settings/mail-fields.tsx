import { useId } from 'react';
import { MAX_SIGNATURE_LENGTH, MAX_SUBJECT_LENGTH } from '#domain/limits.ts';
import { Field } from '#web/components/field.tsx';
import { SelectField } from '#web/components/select-field.tsx';
import { TextField } from '#web/components/text-field.tsx';
import type { TemplateChoice } from '#web/lib/templates.ts';
import styles from './sender-settings.module.css';
import type { EditedSender } from './use-sender-form.ts';
import { SENDER_FORM_MESSAGES as messages } from './words.ts';

const choicesOf = (templates: readonly TemplateChoice[]) =>
  templates.length === 0
    ? [{ value: '', label: messages.noTemplate }]
    : templates.map(({ id, name }) => ({ value: String(id), label: name }));

interface Props {
  readonly edited: EditedSender;
  /** All templates that a sender can have, and the one that it has. */
  readonly templates: readonly TemplateChoice[];
}

/** The fields of what a sender's mails say: template, subject, signature. */
export function MailFields({ edited: { form, faults, change }, templates }: Props) {
  const template = templates.find(({ id }) => String(id) === form.template_id);
  return (
    <>
      <SelectField
        label={messages.template}
        error={faults.template_id}
        choices={choicesOf(templates)}
        value={form.template_id}
        onChange={(template_id) => change({ template_id })}
      />
      <SubjectChoice
        hasOwn={form.hasOwnSubject}
        onChange={(hasOwnSubject) => change({ hasOwnSubject, subject: form.subject || (template?.subject ?? '') })}
      />
      {form.hasOwnSubject ? (
        <TextField
          label={messages.subject}
          help={messages.subjectHelp}
          error={faults.subject}
          maxLength={MAX_SUBJECT_LENGTH}
          value={form.subject}
          onChange={(subject) => change({ subject })}
        />
      ) : (
        <p className={faults.subject === undefined ? styles.inUse : styles.fault}>
          {faults.subject ?? messages.subjectOfTemplate(template?.subject ?? '')}
        </p>
      )}
      <Field label={messages.signature} help={messages.signatureHelp} error={faults.signature}>
        {({ className, ...control }) => (
          <textarea
            {...control}
            className={`${className} ${styles.area}`}
            rows={5}
            maxLength={MAX_SIGNATURE_LENGTH}
            value={form.signature}
            onChange={(event) => change({ signature: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}

interface SubjectProps {
  readonly hasOwn: boolean;
  readonly onChange: (hasOwn: boolean) => void;
}

function SubjectChoice({ hasOwn, onChange }: SubjectProps) {
  const name = useId();
  return (
    <fieldset className={styles.choice}>
      <legend>{messages.subjectChoice}</legend>
      {[false, true].map((own) => (
        <label key={String(own)}>
          <input type="radio" name={name} checked={hasOwn === own} onChange={() => onChange(own)} />
          {own ? messages.ownSubject : messages.templateSubject}
        </label>
      ))}
    </fieldset>
  );
}
