import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { Button } from './button.tsx';

/** Shown in place of data that could not be loaded. A toast shows the reason. */
export function LoadFailed({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <div className="surface nothing">
      <p>{COMMON_MESSAGES.errors.loadFailed}</p>
      <Button onClick={onRetry}>{COMMON_MESSAGES.actions.retry}</Button>
    </div>
  );
}
