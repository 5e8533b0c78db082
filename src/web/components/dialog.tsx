import { Modal } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useEffect, useState } from 'react';
import { isKey } from '#web/lib/keys.ts';
import { useNarrowScreen } from '#web/lib/narrow-screen.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './dialog.module.css';

interface Props {
  /** A noun, as the house style asks. */
  readonly title: string;
  /** The width in px, on screens with room for it. */
  readonly size?: number;
  /** The content loads: on phones the dialog begins at the top, so that nothing moves when it grows. */
  readonly grows?: boolean;
  /** On phones it fills the window, as a long form needs. */
  readonly isSheet?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * A dialog that traps the focus and returns it, and that Escape closes. Ctrl+Enter presses its primary button.
 * The first focus goes to the element with data-autofocus. The kit's own scroll lock would write a <style> element, so
 * app.css has one. The kit's header would be a second banner of the page.
 */
export function Dialog({ title, size = 460, grows = false, isSheet = false, onClose, children }: Props) {
  useFocusReturn();
  const isNarrow = useNarrowScreen();
  return (
    <Modal.Root
      opened
      onClose={onClose}
      size={size}
      centered
      fullScreen={isSheet && isNarrow}
      lockScroll={false}
      transitionProps={{ duration: 0 }}
      // The kit would pass a className of the content to the layer around it too.
      classNames={{ content: styles.content, ...(grows && { inner: styles.growing }) }}
    >
      <Modal.Overlay />
      {/* The kit drops onKeyDown. */}
      <Modal.Content onKeyDownCapture={pressPrimary}>
        <div className={styles.head}>
          <Modal.Title className={styles.title}>{title}</Modal.Title>
          <Modal.CloseButton aria-label={COMMON_MESSAGES.actions.close} />
        </div>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** Presses the primary button by Ctrl+Enter. A danger needs its own press. */
function pressPrimary(event: KeyboardEvent<HTMLElement>): void {
  // React passes on the keys of a dialog that was opened from this one.
  if (!isKey('confirm', event.nativeEvent) || !event.currentTarget.contains(event.target as Node)) return;
  event.preventDefault();
  event.stopPropagation();
  event.currentTarget.querySelector<HTMLButtonElement>('button[data-primary]')?.click();
}

/** Returns the focus on unmount. The kit does so only for dialogs that stay mounted while closed. */
function useFocusReturn(): void {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // An element that took the focus meanwhile keeps it.
      if (document.activeElement === document.body && opener instanceof HTMLElement)
        opener.focus({ preventScroll: true });
    },
    [opener],
  );
}
