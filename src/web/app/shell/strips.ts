import type { IncompleteGroup } from '#web/features/legal-profile/legal-query.ts';
import type { StoppedSending } from '#web/features/send-logs/stopped-run.ts';
import { reconnectPath, sendPath } from '#web/lib/address/params.ts';
import { PATHS } from '#web/lib/address/paths.ts';
import type { Mailbox } from '#web/lib/data/mailboxes.ts';
import { APP_MESSAGES } from '../words.ts';

/** The facts that select a strip. */
export interface StripFacts {
  /** Mails of senders without a mailbox stay in the mail catcher. */
  readonly usesCatcher: boolean;
  /** What the mailboxes need. */
  readonly mailboxes: MailboxFacts;
  /** Sending that needs somebody to continue it, or null. */
  readonly stopped: StoppedSending | null;
  /** The sender groups that lack details which the law requires in their mails. */
  readonly incompleteGroups: readonly IncompleteGroup[];
}

/** What the strips say of the mailboxes. */
export interface MailboxFacts {
  /** A mailbox that the member may connect again, or null. */
  readonly lost: Pick<Mailbox, 'id' | 'name'> | null;
  /** Whether the account has any. */
  readonly hasAny: boolean;
  /** The person who sends now without a mailbox; null: he has one, or is not known. */
  readonly caught: string | null;
}

export interface Strip {
  readonly tone: 'neutral' | 'amber' | 'red';
  readonly text: string;
  /** `call`: only who may make it sees the link. */
  readonly link?: { readonly to: string; readonly label: string; readonly call?: 'updateLegalProfile' | 'addMailbox' };
}

const {
  catcher,
  caught: caughtText,
  connect,
  cutOff,
  reconnect,
  stopped: stoppedText,
  findCause,
  incomplete,
  completeIt,
  unconfirmed,
  confirmIt,
} = APP_MESSAGES.shell.strips;

const legalStrip = (
  groups: readonly IncompleteGroup[],
  textOf: (names: readonly string[]) => string,
  label: string,
): Strip | null =>
  groups.length === 0
    ? null
    : {
        tone: 'amber',
        text: textOf(groups.map(({ name }) => name)),
        link: { to: PATHS.settingsLegal, label, call: 'updateLegalProfile' },
      };

/** The strips below the header, the most severe first. A new strip is one entry here. */
const STRIPS: readonly ((facts: StripFacts) => Strip | null)[] = [
  ({ stopped }) =>
    stopped && {
      tone: 'red',
      text: stoppedText(stopped.cause),
      ...(stopped.id !== undefined && { link: { to: sendPath(stopped.id), label: findCause } }),
    },
  ({ mailboxes: { lost } }) =>
    lost && { tone: 'red', text: cutOff(lost.name), link: { to: reconnectPath(lost.id), label: reconnect } },
  ({ incompleteGroups }) =>
    legalStrip(
      incompleteGroups.filter(({ isUnconfirmed }) => !isUnconfirmed),
      incomplete,
      completeIt,
    ),
  ({ incompleteGroups }) => legalStrip(incompleteGroups, unconfirmed, confirmIt),
  ({ usesCatcher, mailboxes: { hasAny, caught } }) => {
    if (!usesCatcher || (hasAny && caught === null)) return null;
    const link = { to: PATHS.settingsMailboxes, label: connect, call: 'addMailbox' } as const;
    return { tone: 'neutral', text: hasAny && caught !== null ? caughtText(caught) : catcher, link };
  },
];

/** Returns the one strip that is shown, or null. */
export const worstStrip = (facts: StripFacts): Strip | null =>
  STRIPS.map((strip) => strip(facts)).find((strip) => strip !== null) ?? null;
