import type { IncompleteGroup } from '#web/features/legal-profile/legal-query.ts';
import type { StoppedSending } from '#web/features/send-logs/stopped-run.ts';
import { sendPath } from '#web/lib/address/params.ts';
import { PATHS } from '#web/lib/address/paths.ts';
import { APP_MESSAGES } from '../words.ts';

/** The facts that select a strip. */
export interface StripFacts {
  /** Mails stay in the mail catcher. */
  readonly usesCatcher: boolean;
  /** Sending that needs somebody to continue it, or null. */
  readonly stopped: StoppedSending | null;
  /** The sender groups that lack details which the law requires in their mails. */
  readonly incompleteGroups: readonly IncompleteGroup[];
}

export interface Strip {
  readonly tone: 'neutral' | 'amber' | 'red';
  readonly text: string;
  readonly link?: { readonly to: string; readonly label: string };
}

const {
  catcher,
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
    : { tone: 'amber', text: textOf(groups.map(({ name }) => name)), link: { to: PATHS.settingsLegal, label } };

/** The strips below the header, the most severe first. A new strip is one entry here. */
const STRIPS: readonly ((facts: StripFacts) => Strip | null)[] = [
  ({ stopped }) =>
    stopped && {
      tone: 'red',
      text: stoppedText(stopped.cause),
      ...(stopped.id !== undefined && { link: { to: sendPath(stopped.id), label: findCause } }),
    },
  ({ incompleteGroups }) =>
    legalStrip(
      incompleteGroups.filter(({ isUnconfirmed }) => !isUnconfirmed),
      incomplete,
      completeIt,
    ),
  ({ incompleteGroups }) => legalStrip(incompleteGroups, unconfirmed, confirmIt),
  ({ usesCatcher }) => (usesCatcher ? { tone: 'neutral', text: catcher } : null),
];

/** Returns the one strip that is shown, or null. */
export const worstStrip = (facts: StripFacts): Strip | null =>
  STRIPS.map((strip) => strip(facts)).find((strip) => strip !== null) ?? null;
