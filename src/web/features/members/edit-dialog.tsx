import { useQueryClient } from '@tanstack/react-query';
import type { Role } from '#domain/account/role.ts';
import { ROLE_NAMES } from '#domain/account/role-names.ts';
import dialog from '#web/components/dialog/dialog-body.module.css';
import { DraftDialog } from '#web/components/dialog/draft-dialog.tsx';
import { hasCode, unwrap } from '#web/lib/api/query-client.ts';
import { type EditedForm, useDraftForm } from '#web/lib/form/draft-form.ts';
import { keepWhole } from '#web/lib/form/merged-form.ts';
import { asMessage } from '#web/lib/phrases.ts';
import { toast } from '#web/lib/screen/toast.ts';
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
  const { form, base, faults, theirs, change } = edited;

  return (
    <DraftDialog
      title={messages.titles[of]}
      edited={edited}
      theirs={theirs.length === 0 ? [] : storedValues(member, groups)}
      onClose={onClose}
    >
      <div className={styles.fields}>
        <p>{messages.of(member.name, member.email)}</p>
        {of === 'role' ? (
          <RoleField value={form.role} error={faults.role} onChange={(role) => change({ role })} isFirst />
        ) : null}
        {form.role === 'sales' ? (
          <GroupsField form={form} groups={groups} error={faults.groups} onChange={change} />
        ) : null}
        {base.form.role === 'admin' && form.role !== 'admin' ? (
          <p className={dialog.consequence}>{messages.lowersHelp}</p>
        ) : null}
      </div>
    </DraftDialog>
  );
}

/** What another admin has saved meanwhile, in words. */
const storedValues = (member: Member, groups: readonly NamedGroup[]) => [
  { label: MEMBER_MESSAGES.role, value: ROLE_NAMES[member.role] },
  { label: MEMBER_MESSAGES.groups, value: groupsText(member, groups) },
];

/** Shows at the role that nobody else is an admin: another role mends it. */
const atRole = <Answer extends Awaited<ReturnType<typeof putMember>>>(answer: Answer) =>
  answer.ok || answer.code !== 'last_admin'
    ? answer
    : { ...answer, details: [{ path: 'role', message: asMessage(answer.message) }] };

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
      const answer = unwrap(atRole(await putMember(member, { update_info })));
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
