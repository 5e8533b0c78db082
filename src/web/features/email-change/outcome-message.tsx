import type { ReactNode } from 'react';
import { asSentence } from '#web/lib/phrases.ts';
import type { Outcome } from './confirm-address.ts';
import { CONFIRMATION_MESSAGES } from './words.ts';

const messages = CONFIRMATION_MESSAGES;

interface Texts {
  /** The outcome itself. */
  readonly title: string;
  /** Its cause, or what to do next. */
  readonly line: string;
  readonly help?: string;
}

export function textsOf(outcome: Outcome | null): Texts {
  if (outcome === null) return { title: messages.title, line: messages.checking };
  if (outcome.kind === 'updated') return { title: messages.updated, line: messages.updatedHelp };
  if (outcome.kind === 'rejected')
    return { title: messages.rejected, line: messages.rejectedCause, help: messages.rejectedHelp };
  const line = asSentence(outcome.failure.message);
  if (outcome.kind === 'unreachable') return { title: messages.unreachable, line };
  return { title: messages.notUpdated, line, help: messages.notUpdatedHelp };
}

/** Shows what is below the outcome, in one live region, so that screen readers announce it. */
export function OutcomeMessage({ outcome }: { readonly outcome: Outcome | null }): ReactNode {
  const { line, help } = textsOf(outcome);
  return (
    <div role="status" className="stack">
      <div>{line}</div>
      {help === undefined ? null : <p>{help}</p>}
    </div>
  );
}
