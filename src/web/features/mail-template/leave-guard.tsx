import { AskDialog } from '#web/components/ask-dialog.tsx';
import { setDraft } from '#web/lib/session-store.ts';
import { useLeaveBlocker } from '#web/lib/use-leave-blocker.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { TEMPLATE_MESSAGES } from './words.ts';

interface Props {
  /** The name of the draft that would be discarded. */
  readonly draft: string;
  readonly dirty: boolean;
}

/** Asks before unsaved changes are lost: the browser when the page closes, a dialog when the screen changes. */
export function LeaveGuard({ draft, dirty }: Props) {
  const blocker = useLeaveBlocker(() => dirty);
  if (blocker.state !== 'blocked') return null;
  const messages = TEMPLATE_MESSAGES.leaving;
  return (
    <AskDialog
      title={COMMON_MESSAGES.unsavedChanges.title}
      question={messages.question}
      stay={COMMON_MESSAGES.unsavedChanges.stay}
      discard={messages.leave}
      onStay={() => blocker.reset()}
      onDiscard={() => {
        setDraft(draft, null);
        blocker.proceed();
      }}
    />
  );
}
