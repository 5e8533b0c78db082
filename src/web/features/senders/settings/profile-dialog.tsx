import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { MAX_NAME_LENGTH, MAX_SIGNATURE_LENGTH } from '#domain/limits.ts';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import { DraftDialog } from '#web/components/dialog/draft-dialog.tsx';
import { Field } from '#web/components/field/field.tsx';
import { Switch } from '#web/components/field/switch.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { mailboxList } from '#web/lib/data/mailboxes.ts';
import { type TemplateChoice, templateChoices } from '#web/lib/data/templates.ts';
import { pastedCells } from '#web/lib/screen/pasted-cells.ts';
import { May } from '#web/lib/session/use-may.ts';
import { MailboxField, mailboxName } from './mailbox-field.tsx';
import { type ProfileOf, shownValues } from './profile-form.ts';
import styles from './sender-settings.module.css';
import { type PairRow, type ProfileLimit, type ProfileRow, profileLimit } from './settings-query.ts';
import { TemplateTicks } from './template-ticks.tsx';
import { type EditedProfile, useProfileForm } from './use-profile-form.ts';
import { PROFILE_FORM_MESSAGES as messages, SENDER_SETTINGS_MESSAGES as WORDS } from './words.ts';

interface Props {
  readonly of: ProfileOf;
  /** The stored person; null: a new one. */
  readonly stored: ProfileRow | null;
  /** The templates that the person uses. */
  readonly pairs: readonly PairRow[];
  readonly onClose: () => void;
}

const titleOf = (stored: ProfileRow | null) => (stored === null ? messages.title.add : messages.title.edit);

/** Shows the form of a person, in a dialog. */
export function ProfileDialog(props: Props) {
  const { stored } = props;
  const templates = useQuery({ ...templateChoices, staleTime: 0 });
  const limit = useQuery({ ...profileLimit(stored?.id ?? 0), enabled: stored !== null });
  if (templates.data !== undefined && (stored === null || limit.data !== undefined)) {
    return <Form {...props} templates={templates.data} limit={limit.data ?? null} />;
  }
  const retry = () =>
    void Promise.all([templates, ...(stored === null ? [] : [limit])].map(({ refetch }) => refetch()));
  return (
    <Dialog title={titleOf(stored)} size={640} grows onClose={props.onClose}>
      <NotLoaded error={templates.error ?? limit.error} onRetry={retry} />
    </Dialog>
  );
}

interface FormProps extends Props {
  readonly templates: readonly TemplateChoice[];
  /** The person's stored daily limit; null: a new person. */
  readonly limit: ProfileLimit | null;
}

function Form({ of, stored, pairs, templates, limit, onClose }: FormProps) {
  // If only one template exists, it is preselected.
  const templateIds = templates.length === 1 ? templates.map(({ id }) => id) : [];
  const edited = useProfileForm({ of, stored, limit, templateIds, onSaved: onClose });
  const { theirs } = edited;
  const { data: mailboxes = [] } = useQuery({ ...mailboxList, meta: { quiet: true } });
  const nameOf = (id: number) => templates.find((template) => template.id === id)?.name ?? messages.archivedTemplate;

  return (
    <DraftDialog
      title={titleOf(stored)}
      size={640}
      grows
      isSheet
      edited={edited}
      theirs={shownValues(theirs, nameOf, (id) => mailboxName(mailboxes, id))}
      onClose={onClose}
    >
      <div className={styles.fields}>
        <PersonFields edited={edited} stored={stored} />
        <MailboxField edited={edited} mailboxes={mailboxes} />
        <TemplateTicks edited={edited} templates={templates} pairs={pairs} />
        <MoreFields edited={edited} stored={stored} limit={limit} />
        {stored === null ? null : (
          <May call="updateSenderProfile" field="update_info.active">
            <ActiveField edited={edited} />
          </May>
        )}
      </div>
    </DraftDialog>
  );
}

interface Part {
  readonly edited: EditedProfile;
}

function PersonFields({ edited: { form, faults, change }, stored }: Part & Pick<Props, 'stored'>) {
  const isKept = form.email.trim() === stored?.email || form.mailbox_id !== '';
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
        help={isKept ? undefined : messages.emailHelp}
        error={faults.email}
        inputMode="email"
        value={form.email}
        onChange={(email) => change({ email })}
      />
      <TextField
        label={WORDS.replyTo}
        help={messages.replyToHelp}
        error={faults.reply_to}
        inputMode="email"
        value={form.reply_to}
        onChange={(reply_to) => change({ reply_to })}
      />
    </>
  );
}

/** Shows rarely used fields: unfolded at first if one has a value or an error. */
function MoreFields({ edited, stored, limit }: Part & Pick<FormProps, 'stored' | 'limit'>) {
  const { form, faults, change } = edited;
  const [isOpen, setOpen] = useState(
    [form.bcc, form.signature, form.mails_per_minute, form.per_day].some((value) => value !== ''),
  );
  const { bcc, signature, mails_per_minute, per_day, ramp_start, ramp_percent } = faults;
  const hasFault = [bcc, signature, mails_per_minute, per_day, ramp_start, ramp_percent].some(
    (fault) => fault !== undefined,
  );
  return (
    <details
      className={styles.wide}
      open={isOpen || hasFault}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{messages.more}</summary>
      <div className={styles.fields}>
        <TextField
          label={WORDS.bcc}
          help={messages.bccHelp}
          error={faults.bcc}
          inputMode="email"
          value={form.bcc}
          onChange={(bcc) => change({ bcc })}
          onPaste={pastedCells(',', (bcc) => change({ bcc }))}
          className={limit === null ? undefined : styles.wide}
        />
        <TextField
          label={messages.limit}
          help={messages.limitHelp(stored?.max_mails_per_minute ?? null)}
          error={faults.mails_per_minute}
          inputMode="numeric"
          value={form.mails_per_minute}
          onChange={(mails_per_minute) => change({ mails_per_minute })}
        />
        {limit === null ? null : (
          <May call="updateSenderLimit">
            <DayLimitFields edited={edited} limit={limit} />
          </May>
        )}
        <SignatureField edited={edited} />
      </div>
    </details>
  );
}

interface DayLimitProps extends Part {
  readonly limit: ProfileLimit;
}

/** Shows the daily limit and its ramp. A new person has none until it is stored. */
function DayLimitFields({ edited: { form, faults, change }, limit }: DayLimitProps) {
  const text = (field: 'per_day' | 'ramp_start' | 'ramp_percent', label: string, help?: string) => (
    <TextField
      label={label}
      help={help}
      error={faults[field]}
      inputMode="numeric"
      value={form[field]}
      onChange={(value) => change({ [field]: value })}
    />
  );
  return (
    <>
      {text('per_day', messages.perDay, limit.today === null ? messages.perDayHelp : todayText(limit))}
      {form.per_day.trim() === '' ? null : (
        <div className={`${styles.switch} ${styles.wide}`}>
          <label className="line">
            <input type="checkbox" checked={form.ramps} onChange={({ target }) => change({ ramps: target.checked })} />
            {messages.ramp}
          </label>
        </div>
      )}
      {form.per_day.trim() === '' || !form.ramps ? null : (
        <>
          {text('ramp_start', messages.rampStart, messages.rampStartHelp)}
          {text('ramp_percent', messages.rampPercent, messages.rampPercentHelp)}
        </>
      )}
    </>
  );
}

/** Returns how much of today's limit is used, and the ramp's current step. */
function todayText({ per_day, ramp_from, today }: ProfileLimit): string {
  if (today === null) return '';
  const { used, limit, step, full_on } = today;
  const isGrowing = ramp_from !== null && step < full_on;
  return messages.todayHelp(used, limit) + (isGrowing ? messages.rampDayHelp(step, full_on, per_day ?? 0) : '');
}

const SignatureField = ({ edited: { form, faults, change } }: Part) => (
  <Field label={messages.signature} help={messages.signatureHelp} error={faults.signature} className={styles.wide}>
    {(control) => (
      <textarea
        {...control}
        rows={3}
        maxLength={MAX_SIGNATURE_LENGTH}
        value={form.signature}
        onChange={(event) => change({ signature: event.target.value })}
      />
    )}
  </Field>
);

function ActiveField({ edited: { form, change } }: Part) {
  const switchId = useId();
  return (
    <>
      <div className={styles.switch}>
        <Switch id={switchId} checked={form.active} onChange={(active) => change({ active })} />
        <label htmlFor={switchId}>{messages.active}</label>
      </div>
      <p className={`note ${styles.wide}`}>{messages.inUseHelp}</p>
    </>
  );
}
