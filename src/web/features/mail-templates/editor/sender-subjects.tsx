import type { Ref } from 'react';
import type { MailTemplate } from '#contract/mail-templates.ts';
import { MAX_SUBJECT_LENGTH } from '#domain/limits.ts';
import { Button } from '#web/components/button.tsx';
import { TextField } from '#web/components/text-field.tsx';
import type { Faults } from '#web/lib/faults-of.ts';
import styles from './mail-template.module.css';
import { type FieldKey, subjectKey, type TemplateForm } from './template-form.ts';
import { TEMPLATE_MESSAGES } from './words.ts';

interface Props {
  readonly senders: MailTemplate['senders'];
  readonly subjects: TemplateForm['subjects'];
  /** The subject of the template, with which an own one begins. */
  readonly initial: string;
  readonly faults: Faults;
  readonly keepInput: (key: FieldKey, set: (text: string) => void) => Ref<HTMLInputElement>;
  readonly onFocus: (senderId: number) => void;
  readonly onChange: (senderId: number, subject: string | null) => void;
}

/** The senders of a template: each uses the template's subject, or has its own. */
export function SenderSubjects({ senders, subjects, initial, faults, keepInput, onFocus, onChange }: Props) {
  if (senders.length === 0) return <p className={styles.help}>{TEMPLATE_MESSAGES.noSender}</p>;
  return (
    <ul className={styles.senders} aria-label={TEMPLATE_MESSAGES.senderSubjects}>
      {senders.map(({ id, group, person_in_charge }) => {
        const own = subjects[id] ?? null;
        const set = (subject: string) => onChange(id, subject);
        return (
          <li key={id}>
            {own === null ? (
              <>
                <span>{TEMPLATE_MESSAGES.usesSubjectOf(group, person_in_charge)}</span>
                <Button
                  variant="quiet"
                  aria-label={TEMPLATE_MESSAGES.ownSubjectOf(group, person_in_charge)}
                  onClick={() => set(initial)}
                >
                  {TEMPLATE_MESSAGES.ownSubject}
                </Button>
              </>
            ) : (
              <>
                <TextField
                  ref={keepInput(subjectKey(id), set)}
                  className={styles.grow}
                  label={TEMPLATE_MESSAGES.subjectOf(group, person_in_charge)}
                  error={faults[subjectKey(id)]}
                  maxLength={MAX_SUBJECT_LENGTH}
                  value={own}
                  onFocus={() => onFocus(id)}
                  onChange={set}
                />
                <Button
                  variant="quiet"
                  aria-label={TEMPLATE_MESSAGES.takeSubjectOf(group, person_in_charge)}
                  onClick={() => onChange(id, null)}
                >
                  {TEMPLATE_MESSAGES.takeSubject}
                </Button>
              </>
            )}
          </li>
        );
      })}
    </ul>
  );
}
