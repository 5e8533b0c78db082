import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { senderGroupList } from '#web/features/senders/list-sender-groups.ts';
import { senderList } from '#web/features/senders/list-senders.ts';
import { useSenders } from '#web/features/senders/senders-state.ts';
import { chosenOf } from '#web/features/senders/use-current-sender.ts';
import { type Mailbox, mailboxList } from '#web/lib/data/mailboxes.ts';
import { sessionSlice, useSession } from '#web/lib/session/session-store.ts';
import type { MailboxFacts } from './strips.ts';

/** How long the strips go without a look at the mailboxes: a notice tells of a lost one at once. */
const LOOKED_AT_EVERY_MS = 300_000;

/** Whether the last answer had mailboxes, so that a reloaded page shows no strip that goes with the next one. */
const useMemory = sessionSlice<{ readonly has_mailboxes: boolean }>(({ has_mailboxes = false }) => ({ has_mailboxes }));

/** Returns the chosen sender if the screen has loaded it. The strips make no call for it. */
function useKnownSender() {
  const accountId = useSession(({ current_user }) => current_user?.id) ?? 0;
  const groupId = useSenders((state) => state.current_sender_group);
  const senderId = useSenders((state) => state.current_sender);
  const { data: groups } = useQuery({ ...senderGroupList(accountId), enabled: false });
  const group = chosenOf(groups, groupId);
  const { data: senders } = useQuery({ ...senderList(group?.id ?? 0), enabled: false });
  return chosenOf(senders, senderId);
}

const sendsBy =
  (profileId: number) =>
  ({ state, senders }: Mailbox): boolean =>
    state !== 'off' && senders.some(({ id }) => id === profileId);

/** Returns what the strips say of the mailboxes. */
export function useMailboxFacts(): MailboxFacts {
  const had = useMemory(({ has_mailboxes }) => has_mailboxes);
  const { data } = useQuery({ ...mailboxList, staleTime: LOOKED_AT_EVERY_MS, meta: { quiet: true } });
  const sender = useKnownSender();
  useEffect(() => {
    if (data !== undefined) useMemory.setState({ has_mailboxes: data.length > 0 });
  }, [data]);
  const isCaught = data !== undefined && sender !== undefined && !data.some(sendsBy(sender.profile_id));
  return {
    lost: data?.find(({ state, may_change }) => state === 'reconnect' && may_change === 1) ?? null,
    hasAny: data === undefined ? had : data.length > 0,
    caught: isCaught ? sender.person_in_charge : null,
  };
}
