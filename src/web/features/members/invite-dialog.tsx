import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import type { Role } from '#domain/account/role.ts';
import { MAX_INVITED_AT_ONCE } from '#domain/limits.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { useLeaveQuestion } from '#web/components/dialog/leave-guard.tsx';
import { Field } from '#web/components/field/field.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import type { Faults } from '#web/lib/api/faults-of.ts';
import { hasCode, unwrap } from '#web/lib/api/query-client.ts';
import { useOnceKey } from '#web/lib/api/use-once-key.ts';
import { type EditedForm, useDraftForm } from '#web/lib/form/draft-form.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { EVERYWHERE, GroupsField, type GroupsForm, groupIdsOf, groupsFault } from './groups-field.tsx';
import styles from './members.module.css';
import { namedGroups, reloadMembers } from './members-query.ts';
import { RoleField } from './role-field.tsx';
import { INVITE_MESSAGES as messages } from './words.ts';

interface InviteForm extends GroupsForm {
  /** One address a line. */
  readonly emails: string;
  readonly role: Role;
}

type Outcome = AnswerOf<'invite'>;

const BLANK: InviteForm = { emails: '', role: 'sales', ...EVERYWHERE };

/** Invites people by their addresses. What was not invited stays, with the reasons. */
export default function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const { outcome, ...edited } = useInviteForm(onClose);
  const { element, form, faults, busy, problem, change } = edited;
  const { data: groups = [] } = useQuery(namedGroups);
  const { close, question } = useLeaveQuestion({ draft: edited.name, onClose, closing: messages.discarding });

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    edited.save();
  }

  // Replaces the form, because two dialogs would cover each other. The typed text is in the draft.
  if (question !== null) return question;
  return (
    <Dialog title={messages.title} size={560} onClose={() => busy || close()}>
      <form ref={element} onSubmit={submit} noValidate>
        <div className={styles.fields}>
          {problem === undefined ? null : (
            <Notice tone="bad" role="alert">
              {problem}
            </Notice>
          )}
          {outcome === null ? null : <Skipped outcome={outcome} />}
          <Field label={messages.emails} help={messages.emailsHelp} error={faults.emails}>
            {(control) => (
              <textarea
                {...control}
                rows={4}
                inputMode="email"
                spellCheck={false}
                autoCapitalize="none"
                data-autofocus
                value={form.emails}
                onChange={(event) => change({ emails: event.target.value })}
              />
            )}
          </Field>
          <RoleField value={form.role} onChange={(role) => change({ role })} />
          {form.role === 'sales' ? (
            <GroupsField form={form} groups={groups} error={faults.groups} onChange={change} />
          ) : null}
          <p className="note">
            {messages.linkHelp}
            {messages.noticesHelp}
          </p>
        </div>
        <DialogFoot
          stay={<CancelButton busy={busy} onClick={() => busy || close()} />}
          act={
            <Button type="submit" variant="primary" busy={busy}>
              {messages.invite}
            </Button>
          }
        />
      </form>
    </Dialog>
  );
}

/** Says who was not invited, and why. */
function Skipped({ outcome: { invited, skipped } }: { readonly outcome: Outcome }) {
  return (
    <Notice tone="warning" role="alert">
      <p>
        <strong>{invited === 0 ? messages.none : messages.invited(invited)}</strong>
      </p>
      <p>{messages.skipped(skipped.length)}</p>
      <ul className={`bullets ${styles.skipped}`}>
        {skipped.map(({ email, reason }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an address can be there twice, and the rows stay
          <li key={place}>
            <bdi>{messages.skippedOf(email, messages.reasons[reason])}</bdi>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

const linesOf = (emails: string): string[] =>
  emails
    .split('\n')
    .map((line) => line.trim().toWellFormed())
    .filter((line) => line !== '');

function faultsIn(form: InviteForm): Faults {
  const { length } = linesOf(form.emails);
  const emails = length === 0 ? messages.missing : length > MAX_INVITED_AT_ONCE ? messages.tooMany : undefined;
  return { ...(emails !== undefined && { emails }), ...groupsFault(form) };
}

/** What stays to be corrected: nothing that was invited, or cannot be. If nobody was invited, all that was typed. */
const leftOf = ({ invited, skipped }: Outcome, { emails }: InviteForm): string =>
  invited === 0 ? emails : skipped.flatMap(({ email, reason }) => (reason === 'invalid' ? email : [])).join('\n');

function useInviteForm(onClose: () => void) {
  const client = useQueryClient();
  const { keyOf, forget } = useOnceKey();
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const edited: EditedForm<InviteForm> = useDraftForm({
    name: 'invitation',
    stored: { version: null, form: BLANK },
    check: faultsIn,
    send: async (form: InviteForm): Promise<Outcome> => {
      const { role } = form;
      const body = { add_info: { emails: linesOf(form.emails), role, sender_group_ids: groupIdsOf(form) } };
      setOutcome(null);
      const answer = unwrap(await call('invite', { body }, { headers: { 'Idempotency-Key': keyOf(body) } }));
      // The same addresses are a new request from now on.
      forget();
      await reloadMembers(client);
      return answer;
    },
    onSaved: (answer, form) => {
      if (answer.skipped.length > 0) {
        setOutcome(answer);
        edited.change({ ...form, emails: leftOf(answer, form) });
        return;
      }
      edited.discard();
      toast('success', messages.invited(answer.invited));
      onClose();
    },
    isConflict: () => false,
    reload: () => reloadMembers(client),
    fieldOf: (path) =>
      path
        .replace(/^add_info\./, '')
        .replace(/\.\d+$/, '')
        .replace('sender_group_ids', 'groups'),
    // An error without a field is shown above the form.
    showsItself: (error) => !hasCode(error, 'unauthorized'),
  });
  return { ...edited, outcome };
}
