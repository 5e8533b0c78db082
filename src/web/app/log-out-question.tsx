import { useEffect, useEffectEvent } from 'react';
import { AskDialog } from '#web/components/ask-dialog.tsx';
import { Kit } from '#web/components/kit.tsx';
import { useSession } from '#web/lib/session-store.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { APP_MESSAGES } from './words.ts';

interface Props {
  readonly onStay: () => void;
  readonly onLogOut: () => void;
}

/** A log-out leaves nothing behind, so what is typed and not saved is asked for before. */
export default function LogOutQuestion({ onStay, onLogOut }: Props) {
  const { loggingOut } = APP_MESSAGES;
  const { unsavedChanges } = COMMON_MESSAGES;
  // Remarks save themselves when they are left, for the very button that asks.
  const isSaved = useSession(({ drafts }) => Object.keys(drafts).length === 0);
  const logOut = useEffectEvent(onLogOut);
  useEffect(() => {
    if (isSaved) logOut();
  }, [isSaved]);
  return (
    <Kit>
      <AskDialog
        title={unsavedChanges.title}
        question={loggingOut.question}
        stay={unsavedChanges.stay}
        lose={loggingOut.leave}
        onStay={onStay}
        onLose={onLogOut}
      />
    </Kit>
  );
}
