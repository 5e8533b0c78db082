import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type Ref, useId, useState } from 'react';
import type { MailTemplate } from '#contract/templates/mail-templates.ts';
import { MAX_SUBJECT_LENGTH } from '#domain/limits.ts';
import { Button } from '#web/components/button.tsx';
import { Menu } from '#web/components/dialog/menu.tsx';
import field from '#web/components/field/field.module.css';
import { TextField } from '#web/components/field/text-field.tsx';
import { ReadOnly } from '#web/components/read-only.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { PATHS } from '#web/lib/address/paths.ts';
import type { Faults } from '#web/lib/api/faults-of.ts';
import { type SenderProfile, senderProfiles } from '#web/lib/data/sender-profiles.ts';
import { Link } from '#web/lib/router/link.tsx';
import { useIsMine } from '#web/lib/session/use-may.ts';
import styles from './mail-template.module.css';
import { type FieldKey, subjectKey, type TemplateForm, withProfile } from './template-form.ts';
import { TEMPLATE_MESSAGES } from './words.ts';

interface Props {
  readonly senders: MailTemplate['senders'];
  readonly form: TemplateForm;
  readonly faults: Faults;
  readonly keepInput: (key: FieldKey, set: (text: string) => void) => Ref<HTMLInputElement>;
  readonly onFocus: (senderId: number) => void;
  readonly onChange: (change: Partial<TemplateForm>) => void;
}

/** Selects the senders of the template. Each uses the template's subject or its own. */
export function TemplateSenders({ senders, form, faults, keepInput, onFocus, onChange }: Props) {
  const setSubject = (id: number, subject: string | null) =>
    onChange({ subjects: { ...form.subjects, [id]: subject } });
  const own = ({ id }: (typeof senders)[number]) => form.subjects[id] ?? null;
  const isMine = useIsMine();
  const active = senders.filter(({ active, sender_group_id }) => active === 1 && isMine(sender_group_id));
  return (
    <>
      <Profiles form={form} fault={faults.sender_profile_ids} keepInput={keepInput} onChange={onChange}>
        {active.every((sender) => own(sender) !== null) ? null : (
          <Menu variant="quiet" className={styles.ownSubject} label={OWN_SUBJECT}>
            {active
              .filter((sender) => own(sender) === null)
              .map(({ id, group, person_in_charge }) => (
                <button
                  key={id}
                  type="button"
                  aria-label={TEMPLATE_MESSAGES.ownSubjectOf(group, person_in_charge)}
                  onClick={() => setSubject(id, form.subject)}
                >
                  {TEMPLATE_MESSAGES.senderOf(group, person_in_charge)}
                </button>
              ))}
          </Menu>
        )}
      </Profiles>
      {senders
        .filter(
          (sender) => own(sender) !== null && (sender.active === 1 || faults[subjectKey(sender.id)] !== undefined),
        )
        .map(({ id, sender_group_id, group, person_in_charge }) => (
          <ReadOnly key={id} may={isMine(sender_group_id)}>
            <div className={styles.line}>
              <TextField
                ref={keepInput(subjectKey(id), (subject) => setSubject(id, subject))}
                className={styles.grow}
                label={TEMPLATE_MESSAGES.subjectOf(group, person_in_charge)}
                error={faults[subjectKey(id)]}
                maxLength={MAX_SUBJECT_LENGTH}
                value={form.subjects[id] ?? ''}
                onFocus={() => onFocus(id)}
                onChange={(subject) => setSubject(id, subject)}
              />
              <Button
                variant="quiet"
                aria-label={TEMPLATE_MESSAGES.takeSubjectOf(group, person_in_charge)}
                onClick={() => setSubject(id, null)}
              >
                {TEMPLATE_MESSAGES.takeSubject}
              </Button>
            </div>
          </ReadOnly>
        ))}
    </>
  );
}

const OWN_SUBJECT = (
  <>
    {TEMPLATE_MESSAGES.ownSubject}
    <IconChevronDown size={14} aria-hidden />
  </>
);

/** The number of people that fit in a line. Of more, those ticked now or at the opening are shown at first. */
const FIT = 3;

interface ProfilesProps extends Pick<Props, 'form' | 'keepInput' | 'onChange'> {
  readonly fault: string | undefined;
  /** Shown at the end of the line. */
  readonly children: ReactNode;
}

function Profiles({ form: { sender_profile_ids: chosen }, fault, keepInput, onChange, children }: ProfilesProps) {
  const { data: profiles, isError, error, refetch } = useQuery(senderProfiles);
  const [showsAll, setShowsAll] = useState(false);
  const [atFirst] = useState(chosen);
  const title = useId();
  const note = useId();
  const isChosen = ({ id }: SenderProfile) => chosen.includes(id);
  const isMine = useIsMine();
  // A person of another group is shown if they use the template, and cannot be chosen.
  const all = (profiles ?? []).filter((profile) => isMine(profile.sender_group_id) || isChosen(profile));
  const count = all.length;
  const isInSight = showsAll || count <= FIT;
  const offered = all.filter((profile) => isInSight || isChosen(profile) || atFirst.includes(profile.id));
  const others = count - offered.length;
  const help = count > 0 && chosen.length === 0 ? TEMPLATE_MESSAGES.chooseProfileHelp : undefined;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot share a line
    <div className={styles.line} role="group" aria-labelledby={title} aria-describedby={note}>
      <span id={title} className={field.label}>
        {TEMPLATE_MESSAGES.profiles}
      </span>
      {isError && profiles === undefined ? <LoadFailed error={error} onRetry={() => void refetch()} /> : null}
      {offered.map((profile, place) => (
        <ReadOnly key={profile.id} may={isMine(profile.sender_group_id)}>
          <label title={TEMPLATE_MESSAGES.profileHint(profile)}>
            <input
              ref={place === 0 ? keepInput('sender_profile_ids', () => undefined) : undefined}
              type="checkbox"
              checked={isChosen(profile)}
              onChange={({ target }) =>
                onChange({ sender_profile_ids: withProfile(chosen, profile.id, target.checked) })
              }
            />
            {labelOf(profile, all)}
          </label>
        </ReadOnly>
      ))}
      {others > 0 ? (
        <Button variant="quiet" onClick={() => setShowsAll(true)}>
          {others === count ? TEMPLATE_MESSAGES.allProfiles(count) : TEMPLATE_MESSAGES.otherProfiles(others)}
        </Button>
      ) : null}
      {profiles?.length === 0 ? (
        <p className={field.help}>
          {TEMPLATE_MESSAGES.noProfileHelp} <Link to={PATHS.settingsGroups}>{TEMPLATE_MESSAGES.addProfile}</Link>
        </p>
      ) : null}
      {children}
      {fault === undefined && help === undefined ? null : (
        <p id={note}>
          {fault === undefined ? null : <span className={field.error}>{fault}</span>}
          {help === undefined ? null : <span className={field.help}>{help}</span>}
        </p>
      )}
    </div>
  );
}

/** Returns the sender's label: only the name, if it is unique. */
function labelOf(
  { person_in_charge, group, email, is_confirmed, confirmation_sent_at }: SenderProfile,
  all: readonly SenderProfile[],
): string {
  const alike = all.filter((profile) => profile.person_in_charge === person_in_charge);
  const groups = new Set(alike.map((profile) => profile.group));
  const more = alike.length === 1 ? null : groups.size === alike.length ? group : email;
  const { confirmed, waiting, notAsked } = TEMPLATE_MESSAGES.states;
  const state = is_confirmed === 1 ? confirmed : confirmation_sent_at === null ? notAsked : waiting;
  return TEMPLATE_MESSAGES.profile(person_in_charge, more, state);
}
