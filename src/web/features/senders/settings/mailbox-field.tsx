import { SelectField } from '#web/components/field/select-field.tsx';
import { PATHS } from '#web/lib/address/paths.ts';
import type { Mailbox } from '#web/lib/data/mailboxes.ts';
import { Link } from '#web/lib/router/link.tsx';
import { usesMailCatcher } from '#web/lib/screen/page-settings.ts';
import type { EditedProfile } from './use-profile-form.ts';
import { PROFILE_FORM_MESSAGES as messages, SENDER_SETTINGS_MESSAGES as WORDS } from './words.ts';

const noMailbox = (): string => (usesMailCatcher() ? messages.noMailboxCaught : messages.noMailbox);

/** Returns the name of a chosen mailbox. @param id '': none */
export function mailboxName(mailboxes: readonly Mailbox[], id: string): string {
  if (id === '') return noMailbox();
  return mailboxes.find((mailbox) => String(mailbox.id) === id)?.name ?? messages.goneMailbox;
}

interface Props {
  readonly edited: EditedProfile;
  readonly mailboxes: readonly Mailbox[];
}

/** Asks by which mailbox a person sends: an own or a shared one, for admins any. Others' are shown where chosen. */
export function MailboxField({ edited: { form, base, faults, change }, mailboxes }: Props) {
  const isChosen = ({ id }: Mailbox) => [form.mailbox_id, base.form.mailbox_id].includes(String(id));
  const offered = mailboxes.filter(
    (mailbox) =>
      isChosen(mailbox) || (mailbox.state !== 'off' && (mailbox.owner_id === null || mailbox.may_change === 1)),
  );
  if (offered.length === 0 && form.mailbox_id === '') return null;
  const choices = offered.map(({ id, name, address }) => ({
    value: String(id),
    label: messages.mailboxChoice(name, address),
  }));
  // The list has not loaded.
  const isMissing = form.mailbox_id !== '' && choices.every(({ value }) => value !== form.mailbox_id);
  const missing = isMissing ? [{ value: form.mailbox_id, label: messages.goneMailbox }] : [];
  return (
    <div className="stack-tight">
      <SelectField
        label={WORDS.mailbox}
        help={messages.mailboxHelp}
        error={faults.mailbox_id}
        choices={[{ value: '', label: noMailbox() }, ...choices, ...missing]}
        value={form.mailbox_id}
        onChange={(mailbox_id) => change({ mailbox_id })}
      />
      {faults.mailbox_id === undefined ? null : <Link to={PATHS.settingsMailboxes}>{WORDS.toMailboxes}</Link>}
    </div>
  );
}
