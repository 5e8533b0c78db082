import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconInfoCircle from '@tabler/icons-react/dist/esm/icons/IconInfoCircle.mjs';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { createPortal } from 'react-dom';
import { useFirstDay } from '#web/features/first-steps/first-steps-query.ts';
import { useIncompleteGroups } from '#web/features/legal-profile/legal-query.ts';
import { useStoppedSending } from '#web/features/send-logs/stopped-run.ts';
import { senderGroupList } from '#web/features/senders/list-sender-groups.ts';
import { senderList } from '#web/features/senders/list-senders.ts';
import { useSenders } from '#web/features/senders/senders-state.ts';
import { chosenOf } from '#web/features/senders/use-current-sender.ts';
import { type Mailbox, mailboxList } from '#web/lib/data/mailboxes.ts';
import { Link } from '#web/lib/router/link.tsx';
import { usesMailCatcher } from '#web/lib/screen/page-settings.ts';
import { sessionSlice, useSession } from '#web/lib/session/session-store.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import styles from './strip-bar.module.css';
import { type MailboxFacts, worstStrip } from './strips.ts';

const ICONS = { neutral: IconInfoCircle, amber: IconAlertTriangle, red: IconAlertTriangle };

/** Shows the most severe strip below the header. */
export function StripBar({ place }: { readonly place: HTMLElement | null }) {
  const incompleteGroups = useIncompleteGroups();
  const isFirstDay = useFirstDay();
  const may = { updateLegalProfile: useMay('updateLegalProfile'), addMailbox: useMay('addMailbox') };
  const strip = worstStrip({
    usesCatcher: usesMailCatcher(),
    mailboxes: useMailboxFacts(),
    stopped: useStoppedSending(),
    // The bar of the first day says this already, and has the link.
    incompleteGroups: isFirstDay ? [] : incompleteGroups,
  });
  if (place === null || strip === null) return null;
  const Icon = ICONS[strip.tone];
  return createPortal(
    // The key creates a new element for another text, so that its width does not jump.
    <p key={strip.text} className={`row tone ${styles.strip}`} data-tone={strip.tone}>
      <Icon size={16} aria-hidden />
      <span>{strip.text}</span>
      {strip.link === undefined || (strip.link.call !== undefined && !may[strip.link.call]) ? null : (
        <Link to={strip.link.to}>{strip.link.label}</Link>
      )}
    </p>,
    place,
  );
}

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
function useMailboxFacts(): MailboxFacts {
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
