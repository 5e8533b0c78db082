import { type ReactNode, useId, useState } from 'react';
import type { MailTemplate } from '#contract/mail-templates.ts';
import { LoadFailed } from '#web/components/load-failed.tsx';
import mailHead from '#web/components/mail-head.module.css';
import { SelectField } from '#web/components/select-field.tsx';
import { Switch } from '#web/components/switch.tsx';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { CompanyPicker } from './company-picker.tsx';
import styles from './mail-template.module.css';
import type { PreviewedMail } from './preview-query.ts';
import look from './template-preview.module.css';
import type { Preview } from './use-preview.ts';
import { TEMPLATE_MESSAGES } from './words.ts';

/** Renders a mail. The route passes it in, because features do not import each other. */
export type RenderMail = (mail: PreviewedMail) => ReactNode;

const messages = TEMPLATE_MESSAGES.preview;

interface Props {
  readonly preview: Preview;
  readonly senders: MailTemplate['senders'];
  readonly renderMail: RenderMail;
}

export function TemplatePreview({ preview, senders, renderMail }: Props) {
  const { answer, mail, faults } = preview;
  const [isPhone, setPhone] = useState(false);
  const [isDark, setDark] = useState(false);
  const faulty = Object.keys(faults).length > 0;
  return (
    <section className={styles.preview} aria-label={messages.title}>
      <div className={look.head}>
        <h2 className={look.title}>{messages.title}</h2>
        {faulty ? <p className={look.outdated}>{mail === null ? messages.faulty : messages.outdated}</p> : null}
      </div>
      <Choices preview={preview} senders={senders} />
      <div className={look.options}>
        <Width isPhone={isPhone} onChange={setPhone} />
        <Option label={messages.dark} checked={isDark} onChange={setDark} />
      </div>
      {answer.isError && mail === null ? <LoadFailed onRetry={() => void answer.refetch()} /> : null}
      {mail === null && answer.isPending ? <p className={styles.help}>{COMMON_MESSAGES.loading}</p> : null}
      {mail === null ? null : (
        <div
          className={look.mail}
          data-outdated={faulty || undefined}
          data-phone={isPhone || undefined}
          data-dark={isDark || undefined}
          aria-busy={answer.isFetching}
        >
          <dl className={mailHead.head}>
            <dt>{COMMON_MESSAGES.mail.subject}</dt>
            <dd className={mailHead.subject}>{mail.subject}</dd>
            <dt>{COMMON_MESSAGES.mail.from}</dt>
            <dd>{COMMON_MESSAGES.mail.address(mail.from.name, mail.from.address)}</dd>
          </dl>
          {renderMail(mail)}
        </div>
      )}
    </section>
  );
}

/** Whose mail is shown: the company, the sender, with or without dates. */
function Choices({ preview, senders }: Omit<Props, 'renderMail'>) {
  const { company, senderId } = preview;
  return (
    <div className={look.options}>
      <CompanyPicker company={company} onPick={preview.setCompany} />
      {senders.length < 2 ? null : (
        <SelectField
          label={messages.sender}
          choices={senders.map(({ id, group, person_in_charge }) => ({
            value: String(id),
            label: messages.senderOf(group, person_in_charge),
          }))}
          value={String(senderId)}
          onChange={(value) => preview.setSenderId(Number(value))}
        />
      )}
      {company === null ? (
        <Option
          label={messages.noPerson}
          checked={!preview.hasPerson}
          onChange={(without) => preview.setHasPerson(!without)}
        />
      ) : null}
      <Option label={messages.dates} checked={preview.hasDates} onChange={preview.setHasDates} />
    </div>
  );
}

interface WidthProps {
  readonly isPhone: boolean;
  readonly onChange: (isPhone: boolean) => void;
}

function Width({ isPhone, onChange }: WidthProps) {
  const name = useId();
  return (
    <fieldset className={look.widths}>
      <legend className="visually-hidden">{messages.width}</legend>
      {[false, true].map((phone) => (
        <label key={String(phone)}>
          <input type="radio" name={name} checked={isPhone === phone} onChange={() => onChange(phone)} />
          {phone ? messages.phone : messages.desktop}
        </label>
      ))}
    </fieldset>
  );
}

interface OptionProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

function Option({ label, checked, onChange }: OptionProps) {
  const id = useId();
  return (
    <div className={look.option}>
      <Switch id={id} checked={checked} onChange={onChange} />
      <label htmlFor={id}>{label}</label>
    </div>
  );
}
