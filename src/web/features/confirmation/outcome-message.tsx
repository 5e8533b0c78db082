import type { ReactNode } from 'react';
import { ACCOUNT_WORDS } from '#web/lib/account-words.ts';
import { asSentence } from '#web/lib/phrase-words.ts';
import type { Outcome } from './confirm-address.ts';
import styles from './outcome-message.module.css';

const words = ACCOUNT_WORDS.confirmation;

/** Two lines about what happened, and what to do next. */
function tell(outcome: Outcome | null): { readonly lines: readonly string[]; readonly help?: string } {
  if (outcome === null) return { lines: [words.checking] };
  if (outcome.kind === 'updated') return { lines: [words.updated, words.updatedHelp] };
  if (outcome.kind === 'rejected') return { lines: [words.rejected, words.rejectedCause], help: words.rejectedHelp };
  if (outcome.kind === 'unreachable') return { lines: [words.unreachable, asSentence(outcome.failure.message)] };
  return { lines: [words.notUpdated, asSentence(outcome.failure.message)], help: words.notUpdatedHelp };
}

/** One place that changes, so that the outcome is told to those who listen. */
export function OutcomeMessage({ outcome }: { readonly outcome: Outcome | null }): ReactNode {
  const { lines, help } = tell(outcome);
  return (
    <div role="status" className={styles.outcome}>
      {lines.map((line) => (
        <div key={line}>{line}</div>
      ))}
      {help === undefined ? null : <p className={styles.help}>{help}</p>}
    </div>
  );
}
