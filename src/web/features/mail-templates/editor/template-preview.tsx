import IconAdjustmentsHorizontal from '@tabler/icons-react/dist/esm/icons/IconAdjustmentsHorizontal.mjs';
import { type ReactNode, useEffect, useId, useState } from 'react';
import type { MailTemplate } from '#contract/templates/mail-templates.ts';
import { Button } from '#web/components/button.tsx';
import field from '#web/components/field/field.module.css';
import { SelectField } from '#web/components/field/select-field.tsx';
import { Switch } from '#web/components/field/switch.tsx';
import { InfoNote } from '#web/components/inline/info-note.tsx';
import mailHead from '#web/components/inline/mail-head.module.css';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { keep, readKept } from '#web/lib/session/kept.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { CompanyPicker } from './company-picker.tsx';
import styles from './mail-template.module.css';
import type { PreviewedMail } from './preview-query.ts';
import look from './template-preview.module.css';
import type { Preview } from './use-preview.ts';
import { TEMPLATE_MESSAGES } from './words.ts';

/**
 * Renders a mail. The route passes it in, because features do not import each other.
 * @param notice replaces the mail's checks when the shown mail is an earlier one
 */
export type RenderMail = (mail: PreviewedMail, notice: ReactNode) => ReactNode;

const messages = TEMPLATE_MESSAGES.preview;

interface Props {
  readonly preview: Preview;
  readonly template: MailTemplate;
  readonly renderMail: RenderMail;
}

export function TemplatePreview({ preview, template, renderMail }: Props) {
  const { answer, mail, faults } = preview;
  const [isPhone, setPhone] = useState(false);
  const [isDark, setDark] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const isFaulty = Object.keys(faults).length > 0;
  return (
    <section className={styles.preview} aria-label={messages.title}>
      <PreviewHead preview={preview} isOpen={isOpen} onToggle={() => setOpen(!isOpen)} />
      {/* In the page: floating above it, they would cover the parts of the mail that they concern. */}
      {isOpen ? (
        <div className={`row ${look.options}`}>
          <MailOptions preview={preview} senders={template.senders} />
          <Width isPhone={isPhone} onChange={setPhone} />
          <Option label={messages.dark} checked={isDark} onChange={setDark} />
        </div>
      ) : null}
      {mail === null && isFaulty ? <Notice tone="warning">{messages.faulty}</Notice> : null}
      {answer.isError && mail === null ? (
        <LoadFailed error={answer.error} onRetry={() => void answer.refetch()} />
      ) : null}
      {mail === null && answer.isPending ? <p className={field.help}>{COMMON_MESSAGES.loading}</p> : null}
      {mail === null ? null : (
        <div
          className={look.mail}
          data-outdated={isFaulty || undefined}
          data-phone={isPhone || undefined}
          data-dark={isDark || undefined}
          aria-busy={answer.isFetching}
        >
          <dl className={mailHead.head}>
            <dt>{DATA_MESSAGES.mail.subject}</dt>
            <dd className={mailHead.subject}>{mail.subject}</dd>
            <dt>{DATA_MESSAGES.mail.from}</dt>
            <dd>{DATA_MESSAGES.mail.address(mail.from.name, mail.from.address)}</dd>
          </dl>
          {renderMail(
            mail,
            isFaulty ? (
              <div className={look.notice}>
                <Notice tone="warning">{messages.outdated}</Notice>
              </div>
            ) : null,
          )}
        </div>
      )}
      <WhenUsed />
    </section>
  );
}

interface PreviewHeadProps extends Pick<Props, 'preview'> {
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** Shows whose mail it is, and the button of its options. On phones the tab has the heading's words. */
function PreviewHead({ preview, isOpen, onToggle }: PreviewHeadProps) {
  const isNarrow = useNarrowScreen();
  return (
    <div className={styles.line}>
      <h2 className={isNarrow ? 'visually-hidden' : field.label}>{messages.title}</h2>
      <CompanyPicker company={preview.company} onPick={preview.setCompany} />
      <Button
        className={look.more}
        title={isNarrow ? messages.options : undefined}
        aria-expanded={isOpen}
        onClick={onToggle}
      >
        <IconAdjustmentsHorizontal size={isNarrow ? 20 : 16} aria-hidden />
        <span className={isNarrow ? 'visually-hidden' : undefined}>{messages.options}</span>
      </Button>
    </div>
  );
}

/** Selects the mail to show: its sender, with or without a person's name and dates. */
function MailOptions({ preview, senders }: { readonly preview: Preview; readonly senders: MailTemplate['senders'] }) {
  return (
    <>
      {senders.length < 2 ? null : (
        <SelectField
          label={messages.sender}
          choices={senders.map(({ id, group, person_in_charge }) => ({
            value: String(id),
            label: TEMPLATE_MESSAGES.senderOf(group, person_in_charge),
          }))}
          value={String(preview.senderId)}
          onChange={(value) => preview.setSenderId(Number(value))}
        />
      )}
      {preview.company === null ? (
        <Option
          label={messages.noPerson}
          checked={!preview.hasPerson}
          onChange={(without) => preview.setHasPerson(!without)}
        />
      ) : null}
      <Option label={messages.dates} checked={preview.hasDates} onChange={preview.setHasDates} />
    </>
  );
}

/** Explains when a saved template is used: once in each browser, later behind a mark (ⓘ). */
function WhenUsed() {
  const [isFirst] = useState(() => readKept('template-when-used') === null);
  useEffect(() => keep('template-when-used', '1'), []);
  return (
    <p className={field.help}>
      {TEMPLATE_MESSAGES.whenUsed}
      <InfoNote about="more" isOpenAtFirst={isFirst}>
        {TEMPLATE_MESSAGES.inUse}
      </InfoNote>
    </p>
  );
}

interface WidthProps {
  readonly isPhone: boolean;
  readonly onChange: (isPhone: boolean) => void;
}

function Width({ isPhone, onChange }: WidthProps) {
  const name = useId();
  return (
    <fieldset className={look.option}>
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
