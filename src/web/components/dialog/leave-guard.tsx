import { type ReactNode, useState } from 'react';
import { useLeaveBlocker } from '#web/lib/form/use-leave-blocker.ts';
import { setDraft, useSession } from '#web/lib/session/session-store.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { AskDialog } from './ask-dialog.tsx';

interface Props {
  /** The name of the draft that would be discarded. */
  readonly draft: string;
  readonly dirty: boolean;
  readonly question: string;
  /** The label of the button that discards and leaves. */
  readonly leave: string;
}

/** Asks before unsaved changes are lost: the browser when the page closes, a dialog when the screen changes. */
export function LeaveGuard({ draft, dirty, question, leave }: Props) {
  // A change of only the URL query stays on this screen, which keeps the draft.
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

interface Leaving {
  /** The name of the draft in the session; without a draft nothing can be lost. */
  readonly draft: string;
  readonly onClose: () => void;
  /** undefined: the usual texts. */
  readonly closing?: { readonly title: string; readonly question: string; readonly discard: string };
  /** The texts for a change of the screen; undefined: those for closing. */
  readonly leaving?: { readonly question: string; readonly discard: string };
}

/**
 * Asks before text typed in a dialog is lost: when the dialog closes, the screen changes or the page closes.
 *
 * @returns close, for everything that closes the dialog; and the question to show, or null
 */
export function useLeaveQuestion({ draft, onClose, closing = COMMON_MESSAGES.discarding, leaving }: Leaving): {
  readonly close: () => void;
  readonly question: ReactNode;
} {
  const hasDraft = () => useSession.getState().drafts[draft] !== undefined;
  const [isClosing, setClosing] = useState(false);
  const held = useLeaveBlocker(hasDraft);
  const isAsking = isClosing || held !== null;
  return {
    close() {
      if (hasDraft()) setClosing(true);
      else onClose();
    },
    question: isAsking ? (
      <AskDialog
        {...closing}
        {...(held !== null && leaving)}
        stay={COMMON_MESSAGES.unsavedChanges.stay}
        onStay={() => {
          setClosing(false);
          held?.reset();
        }}
        onDiscard={() => {
          setDraft(draft, null);
          onClose();
          held?.proceed();
        }}
      />
    ) : null,
  };
}
