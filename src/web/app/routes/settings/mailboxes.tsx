import { useCallback, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { PageFrame } from '#web/components/page-frame.tsx';
import { MailboxList, type Open } from '#web/features/mailboxes/mailbox-list.tsx';
import { MAILBOX_MESSAGES } from '#web/features/mailboxes/words.ts';
import { MAILBOXES } from '#web/lib/address/params.ts';
import { useAddress } from '#web/lib/address/use-address.ts';
import { May } from '#web/lib/session/use-may.ts';
import { SettingsLayout } from '../../settings/settings-layout.tsx';

export function Component() {
  const [{ reconnect }, changeAddress] = useAddress(MAILBOXES);
  const [chosen, setChosen] = useState<Open | null>(null);
  // The strip of a lost mailbox leads to its dialog.
  const open: Open | null = chosen ?? (reconnect === undefined ? null : { act: 'reconnect', id: reconnect });
  const choose = useCallback(
    (next: Open | null) => {
      setChosen(next);
      changeAddress({ reconnect: undefined });
    },
    [changeAddress],
  );
  return (
    <PageFrame
      title={MAILBOX_MESSAGES.title}
      help={MAILBOX_MESSAGES.help}
      guide="mailboxes"
      action={
        <May call="addMailbox">
          <Button variant="primary" aria-haspopup="dialog" onClick={() => choose({ act: 'add' })}>
            {MAILBOX_MESSAGES.add}
          </Button>
        </May>
      }
    >
      <SettingsLayout>
        <MailboxList open={open} onOpen={choose} />
      </SettingsLayout>
    </PageFrame>
  );
}
