import { useId } from 'react';
import { MAX_NAME_LENGTH } from '#domain/limits.ts';
import { Switch } from '#web/components/switch.tsx';
import { TextField } from '#web/components/text-field.tsx';
import { pastedCells } from '#web/lib/pasted-cells.ts';
import type { TemplateChoice } from '#web/lib/templates.ts';
import { MailFields } from './mail-fields.tsx';
import styles from './sender-settings.module.css';
import type { SenderDetail } from './settings-query.ts';
import type { EditedSender } from './use-sender-form.ts';
import { SENDER_FORM_MESSAGES as messages } from './words.ts';

interface Props {
  readonly edited: EditedSender;
  readonly stored: SenderDetail | null;
  /** All templates that a sender can have, and the one that it has. */
  readonly templates: readonly TemplateChoice[];
}

export function SenderFormFields(props: Props) {
  return (
    <div className={styles.fields}>
      <AddressFields {...props} />
      <MailFields {...props} />
      <LimitFields {...props} />
    </div>
  );
}

type Part = Pick<Props, 'edited'>;

function AddressFields({ edited: { form, faults, change } }: Part) {
  return (
    <>
      <TextField
        label={messages.name}
        error={faults.person_in_charge}
        maxLength={MAX_NAME_LENGTH}
        value={form.person_in_charge}
        data-autofocus
        onChange={(person_in_charge) => change({ person_in_charge })}
      />
      <TextField
        label={messages.email}
        help={messages.emailHelp}
        error={faults.email}
        inputMode="email"
        value={form.email}
        onChange={(email) => change({ email })}
      />
      <TextField
        label={messages.replyTo}
        help={messages.replyToHelp}
        error={faults.reply_to}
        inputMode="email"
        value={form.reply_to}
        onChange={(reply_to) => change({ reply_to })}
      />
      <TextField
        label={messages.bcc}
        help={messages.bccHelp}
        error={faults.bcc}
        inputMode="email"
        value={form.bcc}
        onChange={(bcc) => change({ bcc })}
        onPaste={pastedCells(',', (bcc) => change({ bcc }))}
      />
    </>
  );
}

function LimitFields({ edited: { form, faults, change }, stored }: Part & Pick<Props, 'stored'>) {
  const switchId = useId();
  return (
    <>
      <TextField
        label={messages.limit}
        help={messages.limitHelp(stored?.max_mails_per_minute ?? null)}
        error={faults.mails_per_minute}
        inputMode="numeric"
        value={form.mails_per_minute}
        onChange={(mails_per_minute) => change({ mails_per_minute })}
      />
      <div className={styles.switch}>
        <Switch id={switchId} checked={form.active} onChange={(active) => change({ active })} />
        <label htmlFor={switchId}>{messages.active}</label>
      </div>
      {faults.active === undefined ? null : (
        <p className={styles.fault} role="alert">
          {faults.active}
        </p>
      )}
      <p className={styles.inUse}>{messages.inUseHelp}</p>
    </>
  );
}
