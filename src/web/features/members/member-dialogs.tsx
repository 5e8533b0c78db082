import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import dialog from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { PasswordField } from '#web/components/field/password-field.tsx';
import { OWNER_PASSWORD_MESSAGES } from '#web/components/owner-password/words.ts';
import { hasCode, unwrap } from '#web/lib/api/query-client.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { EditDialog } from './edit-dialog.tsx';
import { type Member, type NamedGroup, putMember, reloadMembers } from './members-query.ts';
import { StopDialog } from './stop-dialog.tsx';
import { MEMBER_MESSAGES } from './words.ts';

/** The acts on a member that ask in a dialog. */
export type MemberAct = 'role' | 'groups' | 'secondStep' | 'stop' | 'bringBack';

interface Props {
  readonly act: MemberAct;
  readonly member: Member;
  readonly groups: readonly NamedGroup[];
  readonly onClose: () => void;
}

/** Shows the dialog of an act on a member. */
export default function MemberDialog({ act, groups, ...props }: Props) {
  if (act === 'stop') return <StopDialog {...props} />;
  if (act === 'bringBack' || act === 'secondStep') return <QuestionDialog {...props} act={act} />;
  return <EditDialog {...props} of={act} groups={groups} />;
}

const QUESTIONS = {
  bringBack: {
    words: MEMBER_MESSAGES.bringingBack,
    button: MEMBER_MESSAGES.bringingBack.bringBack,
    variant: 'primary',
    change: { active: 1 },
  },
  secondStep: {
    words: MEMBER_MESSAGES.removingSecondStep,
    button: MEMBER_MESSAGES.removingSecondStep.remove,
    variant: 'danger',
    change: { two_factor: 0 },
  },
} as const;

/** Asks before a stopped member may log in again, or before a lost telephone's second step is removed. */
function QuestionDialog({ act, member, onClose }: Omit<Props, 'act' | 'groups'> & { act: keyof typeof QUESTIONS }) {
  const { words, button, variant, change } = QUESTIONS[act];
  const client = useQueryClient();
  /** null: not asked for. */
  const [password, setPassword] = useState<string | null>(null);
  const { mutate, isPending, error } = useMutation({
    meta: {
      showsItself: (failure: Error) => hasCode(failure, 'password_needed') || hasCode(failure, 'wrong_password'),
    },
    mutationFn: async () => {
      const proof = password === null ? {} : { current_password: password };
      return unwrap(await putMember(member, { update_info: change, ...proof }));
    },
    onSuccess: () => {
      toast('success', MEMBER_MESSAGES.saved[act](member.name));
      onClose();
    },
    onError: (failure) => hasCode(failure, 'password_needed') && setPassword(''),
    onSettled: () => reloadMembers(client),
  });

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (!isPending) mutate();
  }

  return (
    <Dialog title={words.title} onClose={() => !isPending && onClose()}>
      <form onSubmit={submit} noValidate>
        <p className={dialog.question}>{words.question(member.name)}</p>
        <p className={dialog.consequence}>{words.help}</p>
        {password === null ? null : (
          <PasswordField
            label={OWNER_PASSWORD_MESSAGES.label}
            help={OWNER_PASSWORD_MESSAGES.help}
            error={hasCode(error, 'wrong_password') ? error?.message : undefined}
            autoComplete="current-password"
            autoFocus
            readOnly={isPending}
            value={password}
            onChange={setPassword}
          />
        )}
        <DialogFoot
          stay={<CancelButton busy={isPending} onClick={onClose} data-autofocus />}
          act={
            <Button type="submit" variant={variant} busy={isPending} disabled={password === ''}>
              {button}
            </Button>
          }
        />
      </form>
    </Dialog>
  );
}
