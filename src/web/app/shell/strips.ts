import type { StoppedSending } from '#web/features/send-logs/stopped-run.ts';
import { sendPath } from '#web/lib/address/params.ts';
import { PATHS } from '#web/lib/address/paths.ts';
import { APP_MESSAGES } from '../words.ts';

/** What the strips depend on. */
export interface StripFacts {
  /** Mails stay in the mail catcher. */
  readonly usesCatcher: boolean;
  /** Sending that cannot continue by itself, or null. */
  readonly stopped: StoppedSending | null;
  /** The names of the sender groups that lack what the law asks their mails to show. */
  readonly incompleteGroups: readonly string[];
}

export interface Strip {
  readonly tone: 'neutral' | 'amber' | 'red';
  readonly text: string;
  readonly link?: { readonly to: string; readonly label: string };
}

const { catcher, stopped: stoppedText, findCause, incomplete, completeIt } = APP_MESSAGES.shell.strips;

/** The strips below the header, the worst first. A new one is one rule here. */
const STRIPS: readonly ((facts: StripFacts) => Strip | null)[] = [
  ({ stopped }) =>
    stopped && {
      tone: 'red',
      text: stoppedText(stopped.cause),
      ...(stopped.id !== undefined && { link: { to: sendPath(stopped.id), label: findCause } }),
    },
  ({ incompleteGroups }) =>
    incompleteGroups.length === 0
      ? null
      : {
          tone: 'amber',
          text: incomplete(incompleteGroups),
          link: { to: PATHS.settingsLegal, label: completeIt },
        },
  ({ usesCatcher }) => (usesCatcher ? { tone: 'neutral', text: catcher } : null),
];

/** Returns the one strip that is shown, or null. */
export const worstStrip = (facts: StripFacts): Strip | null =>
  STRIPS.map((strip) => strip(facts)).find((strip) => strip !== null) ?? null;
