import { setDraft } from '#web/lib/session-store.ts';
import { useLeaveBlocker } from '#web/lib/use-leave-blocker.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { AskDialog } from './ask-dialog.tsx';

interface Props {
  /** The name of the draft that would be discarded. */
  readonly draft: string;
  readonly dirty: boolean;
  readonly question: string;
  /** The button that discards and leaves. */
  readonly leave: string;
}

/** Asks before unsaved changes are lost: the browser when the page closes, a dialog when the screen changes. */
export function LeaveGuard({ draft, dirty, question, leave }: Props) {
  // Another query shows another part of the same screen, which keeps the draft.
  const held = useLeaveBlocker((isOtherPath) => dirty && isOtherPath);
  if (held === null) return null;
  return (
    <AskDialog
      title={COMMON_MESSAGES.unsavedChanges.title}
      question={question}
      stay={COMMON_MESSAGES.unsavedChanges.stay}
      discard={leave}
      onStay={() => held.reset()}
      onDiscard={() => {
        setDraft(draft, null);
        held.proceed();
      }}
    />
  );
}
