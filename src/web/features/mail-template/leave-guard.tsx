import { useBeforeUnload, useBlocker } from 'react-router';
import { AskDialog } from '#web/components/ask-dialog.tsx';
import { setDraft, useSession } from '#web/lib/session-store.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { TEMPLATE_MESSAGES } from './words.ts';

interface Props {
  /** The name of the draft that would be lost. */
  readonly draft: string;
  readonly dirty: boolean;
}

/** Asks before unsaved changes are left: by the browser where the page goes, by ourselves where the screen does. */
export function LeaveGuard({ draft, dirty }: Props) {
  useBeforeUnload((event) => {
    if (dirty) event.preventDefault();
  });
  // A session that has ended leads away by itself, and brings the draft back after the login.
  const blocker = useBlocker(() => dirty && useSession.getState().token !== null);
  if (blocker.state !== 'blocked') return null;
  const messages = TEMPLATE_MESSAGES.leaving;
  return (
    <AskDialog
      title={COMMON_MESSAGES.unsavedChanges.title}
      question={messages.question}
      stay={COMMON_MESSAGES.unsavedChanges.stay}
      lose={messages.leave}
      onStay={() => blocker.reset()}
      onLose={() => {
        setDraft(draft, null);
        blocker.proceed();
      }}
    />
  );
}
