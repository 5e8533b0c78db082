import { type ReactNode, useState } from 'react';
import { AskDialog } from '#web/components/ask-dialog.tsx';
import { setDraft, useSession } from '#web/lib/session-store.ts';
import { useLeaveBlocker } from '#web/lib/use-leave-blocker.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { COMPANY_FORM_MESSAGES } from './words.ts';

/**
 * Asks before typed text is lost: when the dialog closes, the screen changes or the page closes.
 *
 * @param draft the name of the session's draft; without one there is nothing to lose
 * @returns close, for whatever closes the dialog; and the question to show
 */
export function useLeaveQuestion(draft: string, onClose: () => void): { close: () => void; question: ReactNode } {
  const hasDraft = () => useSession.getState().drafts[draft] !== undefined;
  const [isClosing, setClosing] = useState(false);
  const held = useLeaveBlocker(hasDraft);
  const isAsking = isClosing || held !== null;
  const { closing, leaving } = COMPANY_FORM_MESSAGES;
  return {
    close() {
      // Escape reaches the dialog below the question too.
      if (isAsking) return;
      if (hasDraft()) setClosing(true);
      else onClose();
    },
    question: isAsking ? (
      <AskDialog
        title={closing.title}
        {...(held === null ? closing : leaving)}
        stay={COMMON_MESSAGES.unsavedChanges.stay}
        onStay={() => {
          setClosing(false);
          held?.reset();
        }}
        onDiscard={() => {
          setDraft(draft, null);
          if (held === null) onClose();
          else held.proceed();
        }}
      />
    ) : null,
  };
}
