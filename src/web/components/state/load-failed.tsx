import { asMessage, asSentence } from '#web/lib/phrases.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { Button } from '../button.tsx';
import { EmptyState } from './empty-state.tsx';

interface Props {
  /** What could not be loaded: the name of the list or screen, if it has one. */
  readonly what?: string | undefined;
  /** The cause. Its query has `SHOWN_IN_PLACE`, so that no toast repeats it. null: a toast says it. */
  readonly error: Error | null;
  readonly onRetry: () => void;
}

/** Shows an error in place of data that could not be loaded. */
export const LoadFailed = ({ what, error, onRetry }: Props) => (
  <div className="surface">
    <EmptyState
      kind="failed"
      title={COMMON_MESSAGES.errors.loadFailed(what)}
      help={error ? asSentence(asMessage(error.message)) : undefined}
    >
      <Button onClick={onRetry}>{COMMON_MESSAGES.actions.retry}</Button>
    </EmptyState>
  </div>
);
