import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useRef, useState } from 'react';
import { addressKey } from '#domain/mail/address-key.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import dialog from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { PATHS } from '#web/lib/address/paths.ts';
import type { ApiFailure } from '#web/lib/api/call.ts';
import { type Faults, faultsOf } from '#web/lib/api/faults-of.ts';
import { reloadLists } from '#web/lib/api/reload-lists.ts';
import { senderProfiles } from '#web/lib/data/sender-profiles.ts';
import { useFaultFocus } from '#web/lib/form/focus-fault.ts';
import { Link } from '#web/lib/router/link.tsx';
import { toast } from '#web/lib/screen/toast.ts';
import styles from './members.module.css';
import { type Member, memberList, putMember, reloadMembers } from './members-query.ts';
import { MEMBER_MESSAGES } from './words.ts';

interface Props {
  readonly member: Member;
  readonly onClose: () => void;
}

/** Asks before a member is stopped, and who gets his reservations. */
export function StopDialog({ member, onClose }: Props) {
  const messages = MEMBER_MESSAGES.stopping;
  const { form, heirs, heir, setHeir, reservations, faults, problem, isQuestion, busy, stop } = useStop(
    member,
    onClose,
  );
  const senders = useSendersOf(member.email);
  const hasHeir = reservations === 0 || heirs.length > 0;
  return (
    <Dialog title={messages.title} size={520} onClose={() => !busy && onClose()}>
      <form ref={form} onSubmit={(event) => void stop(event)} noValidate>
        <div className={styles.fields}>
          {problem === undefined ? null : (
            <Notice tone={isQuestion ? 'warning' : 'bad'} role="alert">
              {problem}
            </Notice>
          )}
          <div>
            <p className={dialog.question}>{messages.question(member.name)}</p>
            <p className={dialog.consequence}>
              {messages.endsHelp}
              {messages.sendingHelp}
              {member.role === 'admin' ? messages.invitedHelp : null}
            </p>
          </div>
          {reservations === 0 ? null : (
            <div>
              <SelectField
                label={messages.heir(reservations)}
                help={hasHeir ? messages.heirHelp : messages.nobodyHelp}
                choices={heirs.map(({ id, name, is_me }) => ({
                  value: String(id),
                  label: is_me === 1 ? MEMBER_MESSAGES.me(name) : name,
                }))}
                error={faults.hand_over_to}
                value={heir}
                onChange={setHeir}
              />
            </div>
          )}
          {senders === 0 ? null : (
            <Notice tone="warning" act={<Link to={PATHS.settingsGroups}>{messages.toSenders}</Link>}>
              {messages.senderHelp(member.email, senders)}
            </Notice>
          )}
        </div>
        <DialogFoot
          stay={<CancelButton busy={busy} onClick={onClose} data-autofocus />}
          act={
            <Button type="submit" variant="danger" busy={busy} disabled={!hasHeir}>
              {messages.stop}
            </Button>
          }
        />
      </form>
    </Dialog>
  );
}

/** Returns how many senders have an address. */
function useSendersOf(address: string): number {
  const { data = [] } = useQuery({ ...senderProfiles, meta: { quiet: true } });
  return data.filter(({ email }) => addressKey(email) === addressKey(address)).length;
}

function useStop(member: Member, onClose: () => void) {
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const focusFaults = useFaultFocus(form);
  const { data: members = [] } = useQuery(memberList);
  const [chosen, setChosen] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ApiFailure>();
  const heirs = members.filter(({ id, active, role }) => id !== member.id && active === 1 && role !== 'viewer');
  const heir = chosen ?? String((heirs.find(({ is_me }) => is_me === 1) ?? heirs[0])?.id ?? '');
  // The server counts the reservations anew: some may have come since the list loaded.
  const counted = failure?.code === 'hand_over_needed' ? Number(failure.details?.[0]?.message) : 0;
  const reservations = Math.max(member.reservations ?? 0, counted);
  const faults: Faults = failure === undefined ? {} : faultsOf(failure);
  const isPlaced = 'hand_over_to' in faults;
  const isQuestion = failure?.code === 'has_open_mails';

  async function stop(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    const answer = await putMember(member, {
      update_info: { active: 0 },
      ...(reservations > 0 && { hand_over_to: Number(heir) }),
      // Pressed again below the question.
      ...(isQuestion && { confirmed: 1 as const }),
    });
    setBusy(false);
    if (!answer.ok) {
      setFailure(answer);
      focusFaults();
      return void reloadMembers(client);
    }
    onClose();
    toast('success', MEMBER_MESSAGES.saved.stop(member.name));
    void reloadMembers(client);
    if (reservations > 0) reloadLists(client);
  }

  return {
    form,
    heirs,
    heir,
    reservations,
    busy,
    faults,
    problem: isPlaced ? undefined : failure?.message,
    /** Whether the problem only asks: the next press goes on. */
    isQuestion,
    stop,
    setHeir(id: string): void {
      setChosen(id);
      setFailure(undefined);
    },
  };
}
