import type { ComponentProps, ReactNode, RefObject } from 'react';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { Button } from '../button.tsx';
import { TheirChanges } from '../field/their-changes.tsx';
import { Notice } from '../state/notice.tsx';
import { Dialog } from './dialog.tsx';
import styles from './dialog-body.module.css';
import { CancelButton, DialogFoot } from './dialog-foot.tsx';
import { useLeaveQuestion } from './leave-guard.tsx';

interface Props extends Pick<ComponentProps<typeof Dialog>, 'title' | 'size' | 'grows' | 'isSheet' | 'onClose'> {
  /** What `useDraftForm` returns. */
  readonly edited: {
    readonly name: string;
    readonly element: RefObject<HTMLFormElement | null>;
    readonly busy: boolean;
    readonly problem: string | undefined;
    readonly conflict: string | undefined;
    save(): void;
    discard(): void;
  };
  /** What another member has saved meanwhile, in words. */
  readonly theirs: ComponentProps<typeof TheirChanges>['theirs'];
  /** The word of the button; undefined: 保存. */
  readonly act?: string | undefined;
  /** Above the buttons. */
  readonly foot?: ReactNode;
  /** The fields. */
  readonly children: ReactNode;
}

/** Shows a form whose typed text is a draft of the session. It asks before that text is lost. */
export function DraftDialog({ edited, theirs, act, foot, children, onClose, ...dialog }: Props) {
  const { element, busy, problem, conflict } = edited;
  const { close, question } = useLeaveQuestion({ draft: edited.name, onClose });
  const stay = () => busy || close();
  // Replaces the form, because two dialogs would cover each other. The typed text is in the draft.
  if (question !== null) return question;
  return (
    <Dialog {...dialog} onClose={stay}>
      <form
        ref={element}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          edited.save();
        }}
      >
        <div className={`stack ${styles.problems}`}>
          {problem === undefined ? null : (
            <Notice tone="bad" role="alert">
              {problem}
            </Notice>
          )}
          <TheirChanges message={conflict} theirs={theirs}>
            <Button onClick={edited.discard}>{COMMON_MESSAGES.theirChanges.load}</Button>
          </TheirChanges>
        </div>
        {children}
        <DialogFoot
          stay={<CancelButton busy={busy} onClick={stay} />}
          act={
            <Button type="submit" variant="primary" busy={busy}>
              {act ?? COMMON_MESSAGES.actions.save}
            </Button>
          }
        >
          {foot}
        </DialogFoot>
      </form>
    </Dialog>
  );
}
