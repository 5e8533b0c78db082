import { useQueryClient } from '@tanstack/react-query';
import type { SubmitEvent } from 'react';
import type { Role } from '#domain/account/role.ts';
import { ROLE_NAMES } from '#domain/account/role-names.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import dialog from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { useLeaveQuestion } from '#web/components/dialog/leave-guard.tsx';
import { TheirChanges } from '#web/components/field/their-changes.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { hasCode, unwrap } from '#web/lib/api/query-client.ts';
import { type EditedForm, useDraftForm } from '#web/lib/form/draft-form.ts';
import { keepWhole } from '#web/lib/form/merged-form.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { GroupsField, type GroupsForm, groupIdsOf, groupsFault, groupsFormOf } from './groups-field.tsx';
import styles from './members.module.css';
import { groupsText, type Member, type NamedGroup, putMember, reloadMembers } from './members-query.ts';
import { RoleField } from './role-field.tsx';
import { MEMBER_MESSAGES } from './words.ts';

const messages = MEMBER_MESSAGES.editing;

interface Props {
  readonly member: Member;
  /** What is edited. A member who becomes 営業 gets his groups with the role. */
  readonly of: 'role' | 'groups';
  readonly groups: readonly NamedGroup[];
  readonly onClose: () => void;
}

interface MemberForm extends GroupsForm {
  readonly role: Role;
}

/** Changes the role of a member, or the groups in which he acts. */
export function EditDialog({ member, of, groups, onClose }: Props) {
  const edited = useMemberForm(member, of, onClose);
  const { element, form, base, faults, busy, problem, conflict, theirs, change } = edited;
  const { close, question } = useLeaveQuestion({ draft: edited.name, onClose, closing: messages.discarding });

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    edited.save();
  }

  if (question !== null) return question;
  return (
    <Dialog title={messages.titles[of]} onClose={() => busy || close()}>
      <form ref={element} onSubmit={submit} noValidate>
        <div className={styles.fields}>
          <p>{messages.of(member.name, member.email)}</p>
          {problem === undefined ? null : (
            <Notice tone="bad" role="alert">
              {problem}
            </Notice>
          )}
          <TheirChanges message={conflict} theirs={theirs.length === 0 ? [] : storedValues(member, groups)}>
            <Button onClick={edited.discard}>{COMMON_MESSAGES.theirChanges.load}</Button>
          </TheirChanges>
          {of === 'role' ? <RoleField value={form.role} onChange={(role) => change({ role })} isFirst /> : null}
          {form.role === 'sales' ? (
            <GroupsField form={form} groups={groups} error={faults.groups} onChange={change} />
          ) : null}
          {base.form.role === 'admin' && form.role !== 'admin' ? (
            <p className={dialog.consequence}>{messages.lowersHelp}</p>
          ) : null}
        </div>
        <DialogFoot
          stay={<CancelButton busy={busy} onClick={() => busy || close()} />}
          act={
            <Button type="submit" variant="primary" busy={busy}>
              {COMMON_MESSAGES.actions.save}
            </Button>
          }
        />
      </form>
    </Dialog>
  );
}

/** What another admin has saved meanwhile, in words. */
const storedValues = (member: Member, groups: readonly NamedGroup[]) => [
  { label: MEMBER_MESSAGES.role, value: ROLE_NAMES[member.role] },
  { label: MEMBER_MESSAGES.groups, value: groupsText(member, groups) },
];

function useMemberForm(member: Member, of: Props['of'], onSaved: () => void) {
  const client = useQueryClient();
  const edited: EditedForm<MemberForm> = useDraftForm({
    name: `member.${member.id}`,
    stored: { version: member.version, form: { role: member.role, ...groupsFormOf(member.sender_group_ids) } },
    // Groups are of a role: both are this admin's, or both the other's.
    merge: keepWhole,
    check: groupsFault,
    send: async (form: MemberForm) => {
      const update_info = { role: form.role, sender_group_ids: groupIdsOf(form) };
      const answer = unwrap(await putMember(member, { update_info }));
      await reloadMembers(client);
      return answer;
    },
    onSaved: () => {
      edited.discard();
      toast('success', MEMBER_MESSAGES.saved[of](member.name));
      onSaved();
    },
    isConflict: (error) => hasCode(error, 'member_changed'),
    reload: () => reloadMembers(client),
    fieldOf: (path) => (path.includes('sender_group_ids') ? 'groups' : path),
    // An error without a field is shown above the form.
    showsItself: () => true,
  });
  return edited;
}
