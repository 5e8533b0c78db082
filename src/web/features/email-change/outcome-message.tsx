import type { ReactNode } from 'react';
import { asSentence } from '#web/lib/phrases.ts';
import type { Outcome } from './confirm-address.ts';
import styles from './outcome-message.module.css';
import { CONFIRMATION_MESSAGES } from './words.ts';

const messages = CONFIRMATION_MESSAGES;

/** Returns two lines: the outcome, and what to do next. */
function textsOf(outcome: Outcome | null): { readonly lines: readonly string[]; readonly help?: string } {
  if (outcome === null) return { lines: [messages.checking] };
  if (outcome.kind === 'updated') return { lines: [messages.updated, messages.updatedHelp] };
  if (outcome.kind === 'rejected')
    return { lines: [messages.rejected, messages.rejectedCause], help: messages.rejectedHelp };
  if (outcome.kind === 'unreachable') return { lines: [messages.unreachable, asSentence(outcome.failure.message)] };
  return { lines: [messages.notUpdated, asSentence(outcome.failure.message)], help: messages.notUpdatedHelp };
}

/** Shows the outcome in one live region, so that screen readers announce it. */
export function OutcomeMessage({ outcome }: { readonly outcome: Outcome | null }): ReactNode {
  const { lines, help } = textsOf(outcome);
  return (
    <div role="status" className={`stack ${styles.outcome}`}>
      {lines.map((line) => (
        <div key={line}>{line}</div>
      ))}
      {help === undefined ? null : <p>{help}</p>}
    </div>
  );
}
