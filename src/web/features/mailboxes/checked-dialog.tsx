import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { addressKey } from '#domain/mail/address-key.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import { DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { PATHS } from '#web/lib/address/paths.ts';
import { call } from '#web/lib/api/call.ts';
import { hasCode, unwrap } from '#web/lib/api/query-client.ts';
import { reloadMailboxes } from '#web/lib/data/mailboxes.ts';
import { type SenderProfile, senderProfiles } from '#web/lib/data/sender-profiles.ts';
import { Link } from '#web/lib/router/link.tsx';
import { toast } from '#web/lib/screen/toast.ts';
import { useIsMine, useMay } from '#web/lib/session/use-may.ts';
import { CheckSteps } from './check-steps.tsx';
import type { Checked } from './mailbox-calls.ts';
import { MAILBOX_CHECK_MESSAGES as messages } from './words.ts';

interface Props {
  readonly id: number;
  readonly name: string;
  readonly address: string;
  readonly checked: Checked;
  readonly onClose: () => void;
}

/** Shows a connection that works, and offers it to the persons who send from its address. */
export function CheckedDialog({ id, name, address, checked, onClose }: Props) {
  const { profiles, unused, isKnown } = useProfilesOf(address, id);
  const [isUsed, setUsed] = useState(true);
  const { mutate, isPending, error } = useUse(unused, id, name, onClose);
  // Mails that wait would leave by the mailbox too.
  const isAsked = hasCode(error, 'has_open_mails');
  const isOffered = unused.length > 0;

  return (
    <Dialog title={messages.title} size={560} onClose={() => !isPending && onClose()}>
      <div className="stack">
        <Notice tone="good" role="status">
          <p>
            <strong>{messages.connected}</strong>
          </p>
          <p>{messages.connectedHelp(address)}</p>
        </Notice>
        {error === null ? null : (
          <Notice tone={isAsked ? 'warning' : 'bad'} role="alert">
            {isAsked ? messages.againHelp(error.message) : error.message}
          </Notice>
        )}
        {isOffered ? (
          <div className="stack-tight">
            <label className="line">
              <input type="checkbox" checked={isUsed} onChange={({ target }) => setUsed(target.checked)} />
              {messages.use(unused.map(({ person_in_charge }) => person_in_charge))}
            </label>
            <p className="note">{messages.useHelp}</p>
          </div>
        ) : null}
        {isKnown && profiles.length === 0 ? (
          <p className="note">
            {messages.noProfileHelp(address)} <Link to={PATHS.settingsGroups}>{messages.toSenders}</Link>
          </p>
        ) : null}
        <CheckSteps checked={checked} />
      </div>
      <DialogFoot
        act={
          <Button
            variant="primary"
            busy={isPending}
            data-autofocus
            onClick={() => (isOffered && isUsed ? mutate(isAsked) : onClose())}
          >
            {messages.finish}
          </Button>
        }
      />
    </Dialog>
  );
}

/** Returns the active persons with the mailbox's address, and those of them who use another way and may be changed. */
function useProfilesOf(address: string, mailboxId: number) {
  const { data } = useQuery({ ...senderProfiles, meta: { quiet: true } });
  const mayChange = useMay('updateSenderProfile');
  const isMine = useIsMine();
  const profiles = (data ?? []).filter(({ email }) => addressKey(email) === addressKey(address.trim()));
  const unused = profiles.filter(
    ({ mailbox_id, sender_group_id }) => mailbox_id !== mailboxId && mayChange && isMine(sender_group_id),
  );
  return { profiles, unused, isKnown: data !== undefined };
}

/** Returns the act that sends the mails of these persons by the mailbox. */
function useUse(profiles: readonly SenderProfile[], mailbox_id: number, name: string, onUsed: () => void) {
  const client = useQueryClient();
  return useMutation({
    meta: { showsItself: () => true },
    mutationFn: async (isConfirmed: boolean) => {
      for (const { id, version } of profiles) {
        const body = { version, ...(isConfirmed && { confirmed: 1 as const }), update_info: { mailbox_id } };
        unwrap(await call('updateSenderProfile', { params: { id: String(id) }, body }));
      }
    },
    onSuccess: () => {
      toast('success', messages.used(name.trim()));
      onUsed();
    },
    onSettled: () => reloadMailboxes(client),
  });
}
