import { AskDialog } from '#web/components/ask-dialog.tsx';
import { Kit } from '#web/components/kit.tsx';
import { TEMPLATE_WORDS } from '#web/lib/template-words.ts';

interface Props {
  readonly onStay: () => void;
  readonly onLogOut: () => void;
}

/** A log-out leaves nothing behind, so what is typed and not saved is asked for before. */
export default function LogOutQuestion({ onStay, onLogOut }: Props) {
  const { leaving, loggingOut } = TEMPLATE_WORDS;
  return (
    <Kit>
      <AskDialog
        title={leaving.title}
        question={loggingOut.question}
        stay={leaving.stay}
        lose={loggingOut.leave}
        onStay={onStay}
        onLose={onLogOut}
      />
    </Kit>
  );
}
