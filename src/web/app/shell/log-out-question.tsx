import { useEffect, useEffectEvent } from 'react';
import { AskDialog } from '#web/components/dialog/ask-dialog.tsx';
import { useSession } from '#web/lib/session/session-store.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { LOG_OUT_MESSAGES } from './words.ts';

interface Props {
  readonly onStay: () => void;
  readonly onLogOut: () => void;
}

/** Asks before a log-out discards unsaved text. */
export default function LogOutQuestion({ onStay, onLogOut }: Props) {
  const { unsavedChanges } = COMMON_MESSAGES;
  // A blur saves the remarks, and the click on the log-out button causes one.
  const isSaved = useSession(({ drafts }) => Object.keys(drafts).length === 0);
  const logOut = useEffectEvent(onLogOut);
  useEffect(() => {
    if (isSaved) logOut();
  }, [isSaved]);
  return (
    <AskDialog
      title={unsavedChanges.title}
      question={LOG_OUT_MESSAGES.question}
      stay={unsavedChanges.stay}
      discard={LOG_OUT_MESSAGES.leave}
      onStay={onStay}
      onDiscard={onLogOut}
    />
  );
}
