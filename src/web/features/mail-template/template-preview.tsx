import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import type { MailTemplate } from '#contract/mail-template.ts';
import { LoadFailed } from '#web/components/load-failed.tsx';
import mailHead from '#web/components/mail-head.module.css';
import { SelectField } from '#web/components/select-field.tsx';
import { Switch } from '#web/components/switch.tsx';
import { useDebounced } from '#web/lib/use-debounced.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './mail-template.module.css';
import type { TemplateForm } from './template-form.ts';
import look from './template-preview.module.css';
import { type Faults, type PreviewedMail, type PreviewRequest, templatePreview } from './template-query.ts';
import { TEMPLATE_MESSAGES } from './words.ts';

/** Renders a mail. The route passes it in, because features do not import each other. */
export type RenderMail = (mail: PreviewedMail) => ReactNode;

const messages = TEMPLATE_MESSAGES.preview;

/** The example data of the preview, and the mail that they give. */
export function usePreview({ id, senders }: MailTemplate, form: TemplateForm) {
  const [senderId, setSenderId] = useState(senders.find(({ active }) => active === 1)?.id ?? senders[0]?.id ?? null);
  const [hasPerson, setHasPerson] = useState(true);
  const [hasDates, setHasDates] = useState(true);
  const request: PreviewRequest = {
    sender_id: senderId,
    // A template without a sender has no subject.
    subject: senderId === null ? form.name : (form.subjects[senderId] ?? ''),
    text_body: form.text_body,
    html_body: form.html_body,
    company_name: messages.company,
    person_in_charge: hasPerson ? messages.person : '',
    has_candidate_dates: hasDates ? 1 : 0,
  };
  const answer = useQuery(templatePreview(id, useDebounced(JSON.stringify(request))));
  const [mail, setMail] = useState<PreviewedMail | null>(null);
  const { data } = answer;
  // The last valid mail stays visible while the template has faults.
  if (data?.mail && data.mail !== mail) setMail(data.mail);
  const faults: Faults = data?.faults ?? {};
  return { answer, mail, faults, senderId, setSenderId, hasPerson, setHasPerson, hasDates, setHasDates };
}

interface Props {
  readonly preview: ReturnType<typeof usePreview>;
  readonly senders: MailTemplate['senders'];
  readonly renderMail: RenderMail;
}

export function TemplatePreview({ preview, senders, renderMail }: Props) {
  const { answer, mail, faults, senderId } = preview;
  const faulty = Object.keys(faults).length > 0;
  return (
    <section className={styles.preview} aria-label={messages.title}>
      <div className={look.head}>
        <h2 className={look.title}>{messages.title}</h2>
        {faulty ? <p className={look.outdated}>{mail === null ? messages.faulty : messages.outdated}</p> : null}
      </div>
      <div className={look.options}>
        {senders.length < 2 ? null : (
          <SelectField
            label={messages.sender}
            choices={senders.map(({ id, group, subject }) => ({
              value: String(id),
              label: messages.senderOf(group, subject),
            }))}
            value={String(senderId)}
            onChange={(value) => preview.setSenderId(Number(value))}
          />
        )}
        <Option
          label={messages.noPerson}
          checked={!preview.hasPerson}
          onChange={(without) => preview.setHasPerson(!without)}
        />
        <Option label={messages.dates} checked={preview.hasDates} onChange={preview.setHasDates} />
      </div>
      {answer.isError && mail === null ? <LoadFailed onRetry={() => void answer.refetch()} /> : null}
      {mail === null && answer.isPending ? <p className={styles.help}>{COMMON_MESSAGES.loading}</p> : null}
      {mail === null ? null : (
        <div className={look.mail} data-outdated={faulty || undefined} aria-busy={answer.isFetching}>
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
