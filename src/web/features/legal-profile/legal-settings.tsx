import { useQuery } from '@tanstack/react-query';
import type { SubmitEvent } from 'react';
import { Button } from '#web/components/button.tsx';
import { LeaveGuard } from '#web/components/dialog/leave-guard.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { TheirChanges } from '#web/components/field/their-changes.tsx';
import { FormFoot } from '#web/components/form-foot.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { LAW_URL } from '#web/components/inline/guide-link.tsx';
import { InfoNote } from '#web/components/inline/info-note.tsx';
import panelStyles from '#web/components/panel.module.css';
import { ReadOnly } from '#web/components/read-only.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { useKey } from '#web/lib/screen/keys.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { FooterPreview } from './footer-preview.tsx';
import { LegalFields } from './legal-fields.tsx';
import { type LegalForm, missingItems, shownValue } from './legal-form.ts';
import styles from './legal-profile.module.css';
import { type LegalRow, legalProfiles } from './legal-query.ts';
import { useLegalForm } from './use-legal-form.ts';
import { LEGAL_MESSAGES as messages } from './words.ts';

interface Props {
  /** The group in the address; undefined: the first one with errors, or else the first one. */
  readonly groupId: number | undefined;
  readonly onGroup: (id: number) => void;
  /** The path of the screen that adds groups. */
  readonly groupsPath: string;
}

/** Shows what the mails of each sender group say about their sender. */
export function LegalSettings({ groupId, onGroup, groupsPath }: Props) {
  const { data, error, refetch } = useQuery({ ...legalProfiles, staleTime: 0, refetchOnWindowFocus: false });
  if (data === undefined) return <NotLoaded what={messages.title} error={error} onRetry={() => void refetch()} />;
  const shown = shownRow(data, groupId);
  if (shown === undefined) {
    return (
      <EmptyState kind="none" title={messages.noGroup} help={messages.noGroupHelp}>
        <ButtonLink to={groupsPath}>{messages.openGroups}</ButtonLink>
      </EmptyState>
    );
  }
  const choices = data.map((row) => ({ value: String(row.sender_group_id), label: nameOf(row) }));
  return (
    <div className="stack-wide">
      <SelectField
        label={messages.group}
        className={styles.group}
        choices={choices}
        value={String(shown.sender_group_id)}
        onChange={(id) => onGroup(Number(id))}
      />
      <Profile key={shown.sender_group_id} row={shown} />
      <p className="note">
        {messages.adviceHelp}
        <a href={LAW_URL} target="_blank" rel="noopener">
          {messages.law}
        </a>
      </p>
    </div>
  );
}

function shownRow(rows: readonly LegalRow[], groupId: number | undefined): LegalRow | undefined {
  const active = rows.filter((row) => row.active === 1);
  return (
    rows.find(({ sender_group_id }) => sender_group_id === groupId) ??
    active.find(({ ready }) => ready === 0) ??
    active[0] ??
    rows[0]
  );
}

const nameOf = ({ group_name, active, ready }: LegalRow): string => {
  if (active === 0) return messages.inactiveGroup(group_name);
  return ready === 1 ? group_name : messages.incompleteGroup(group_name);
};

function Profile({ row }: { readonly row: LegalRow }) {
  const edited = useLegalForm(row);
  const { refusal_mailbox } = row;
  const { element, form, name, isDirty, isTouched, busy, theirs, warningOf, save } = edited;
  const hasPublicUrl = row.has_public_url === 1;
  const noLink = warningOf('public_url');
  const may = useMay('updateLegalProfile');

  useKey('save', () => {
    if (may) save();
    return true;
  });

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    save();
  }

  return (
    <>
      <div className="stack">
        <LegalState row={row} form={form} dirty={isDirty} isTouched={isTouched} />
        {noLink === undefined ? null : (
          <Notice tone="warning">
            {noLink}
            <InfoNote about="howToSet">{messages.publicUrlHelp}</InfoNote>
          </Notice>
        )}
      </div>
      <div className="pair">
        <form ref={element} className={`surface ${panelStyles.panel}`} onSubmit={submit} noValidate>
          <TheirChanges message={edited.conflict} theirs={theirs.map(shownValue)}>
            <Button onClick={edited.discard}>{COMMON_MESSAGES.theirChanges.load}</Button>
          </TheirChanges>
          <ReadOnly may={may}>
            <LegalFields edited={edited} hasPublicUrl={hasPublicUrl} refusalMailbox={refusal_mailbox} />
            <FormFoot isDirty={isDirty} busy={busy} told={edited.told} onDiscard={edited.discard} />
          </ReadOnly>
        </form>
        <div className={styles.preview}>
          <FooterPreview profile={form} hasPublicUrl={hasPublicUrl} refusalMailbox={refusal_mailbox} />
        </div>
      </div>
      <LeaveGuard draft={name} dirty={isDirty} {...messages.leaving} />
    </>
  );
}

interface StateProps {
  readonly row: LegalRow;
  readonly form: LegalForm;
  readonly dirty: boolean;
  /** Whether somebody has saved the profile. */
  readonly isTouched: boolean;
}

/** Says whether the stored profile permits real mails, and which parts the form lacks. */
function LegalState({ row, form, dirty, isTouched }: StateProps) {
  const missing = missingItems(form, row.has_public_url === 1 || row.refusal_mailbox !== null).map(
    (item) => messages.items[item],
  );
  const isReady = row.ready === 1;
  const { confirmed_at, confirmed_by } = row;
  return (
    <Notice tone={isReady ? 'good' : isTouched ? 'bad' : 'plain'} role="status" aria-label={messages.state.label}>
      <p className="row">
        <strong>
          {isReady
            ? messages.state.ready
            : missing.length === 0
              ? messages.state.complete
              : messages.state.incomplete(missing)}
        </strong>
        {isReady ? null : <span>{messages.state.tests}</span>}
        {confirmed_at === null ? null : (
          <span>
            {confirmed_by === null
              ? messages.state.confirmedAt(sentenceTime(confirmed_at))
              : messages.state.confirmedBy(confirmed_by, sentenceTime(confirmed_at))}
          </span>
        )}
        {dirty ? <strong>{messages.state.unsaved}</strong> : null}
      </p>
    </Notice>
  );
}
