import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { PageFrame } from '#web/components/page-frame.tsx';
import { MailboxList, type Open } from '#web/features/mailboxes/mailbox-list.tsx';
import { MAILBOX_MESSAGES } from '#web/features/mailboxes/words.ts';
import { MAILBOXES } from '#web/lib/address/params.ts';
import { useAddress } from '#web/lib/address/use-address.ts';
import { mailboxList } from '#web/lib/data/mailboxes.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { isDemo, useSession } from '#web/lib/session/session-store.ts';
import { May, useMay } from '#web/lib/session/use-may.ts';
import { SettingsLayout } from '../../settings/settings-layout.tsx';

/** Below the first sight. */
const OAuthApps = lazy(async () => {
  const part = await loadPart(() => import('#web/features/mailboxes/consent/oauth-app-form.tsx'));
  return { default: part.OAuthApps };
});

/** Returns the dialog of an address: the strip of a lost mailbox leads to one, and the way back from a provider. */
function openAt(reconnect: number | undefined, connected: number | undefined): Open | null {
  if (connected !== undefined) return { act: 'connected', id: connected };
  return reconnect === undefined ? null : { act: 'reconnect', id: reconnect };
}

export function Component() {
  const [{ reconnect, connected }, changeAddress] = useAddress(MAILBOXES);
  const { data: mailboxes = [] } = useQuery(mailboxList);
  // Then its row has the filled button.
  const hasLost = mailboxes.some(({ state, may_change }) => state === 'reconnect' && may_change === 1);
  // The demo connects no mailbox.
  const isOfDemo = useSession(isDemo);
  const hasApps = useMay('getOAuthApp') && !isOfDemo;
  const [chosen, setChosen] = useState<Open | null>(null);
  const open = chosen ?? openAt(reconnect, connected);
  const choose = useCallback(
    (next: Open | null) => {
      setChosen(next);
      changeAddress({ reconnect: undefined, connected: undefined });
    },
    [changeAddress],
  );
  return (
    <PageFrame
      title={MAILBOX_MESSAGES.title}
      help={MAILBOX_MESSAGES.help}
      guide="mailboxes"
      action={
        // An empty list has the button in its middle.
        mailboxes.length === 0 ? undefined : (
          <May call="addMailbox">
            <Button
              variant={hasLost ? 'default' : 'primary'}
              aria-haspopup="dialog"
              onClick={() => choose({ act: 'add' })}
            >
              {MAILBOX_MESSAGES.add}
            </Button>
          </May>
        )
      }
    >
      <SettingsLayout>
        <div className="stack-wide">
          <MailboxList open={open} onOpen={choose} />
          {hasApps ? (
            <Suspense>
              <OAuthApps />
            </Suspense>
          ) : null}
        </div>
      </SettingsLayout>
    </PageFrame>
  );
}
