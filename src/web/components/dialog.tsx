import '@mantine/core/styles/Modal.css';
import '@mantine/core/styles/ModalBase.css';
import '@mantine/core/styles/Overlay.css';
import '@mantine/core/styles/Paper.css';
import { Modal } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './dialog.module.css';

interface Props {
  /** A noun. */
  readonly title: string;
  /** Its width in px, where there is room. */
  readonly size?: number;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * A dialog that holds the focus (first on what is marked data-autofocus) and gives it back; Escape closes it. The kit would
 * lock the page with a <style> element (app.css does that) and make its head a second banner of the page.
 */
export function Dialog({ title, size = 460, onClose, children }: Props) {
  useFocusReturn();
  return (
    <Modal.Root
      opened
      onClose={onClose}
      size={size}
      centered
      lockScroll={false}
      transitionProps={{ duration: 0 }}
      // Not className on the content: the kit gives that to the layer around it too.
      classNames={{ content: styles.content }}
    >
      <Modal.Overlay />
      <Modal.Content>
        <div className={styles.head}>
          <Modal.Title className={styles.title}>{title}</Modal.Title>
          <Modal.CloseButton aria-label={COMMON_MESSAGES.actions.close} />
        </div>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** The kit gives the focus back only where a dialog stays in the page while it is closed; ours come and go. */
function useFocusReturn(): void {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // Whoever has taken the focus in the meantime keeps it.
      if (document.activeElement === document.body && opener instanceof HTMLElement)
        opener.focus({ preventScroll: true });
    },
    [opener],
  );
}
