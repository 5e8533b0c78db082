import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import { isKey } from '#web/lib/screen/keys.ts';
import { putAwaySuccesses } from '#web/lib/screen/toast.ts';
import { toastRoot } from '#web/lib/screen/toast-root.ts';
import { CloseButton } from './close-button.tsx';
import styles from './dialog.module.css';

interface Props {
  /** A noun, as the house style asks. */
  readonly title: string;
  /** The width in px, on screens with room for it. */
  readonly size?: number;
  /** The content loads: on phones the dialog begins at the top, so that nothing moves when it grows. */
  readonly grows?: boolean;
  /** On phones it takes most of the window from its bottom, as a long form needs. */
  readonly isSheet?: boolean;
  /** By Escape, ×, or a press beside the dialog. It may leave the dialog open. */
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * A modal dialog of the browser, which keeps the focus in it and gives it back. Ctrl+Enter presses its primary button.
 * The first focus goes to the element with data-autofocus. It stands in the body, where no style or form surrounds it.
 */
export function Dialog({ title, size = 460, grows = false, isSheet = false, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useModal(dialog, onClose);
  const beside = usePressBeside(onClose);
  return createPortal(
    <dialog
      ref={dialog}
      // The browser closes nothing: by a second Escape it would close even what must stay open.
      closedby="none"
      onCancel={(event) => event.preventDefault()}
      aria-modal="true"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-body`}
      className={`floats ${styles.dialog}`}
      style={{ '--size': `${size}px` } as CSSProperties}
      data-grows={grows || undefined}
      data-sheet={isSheet || undefined}
      onKeyDownCapture={pressPrimary}
      onClickCapture={useOpeningPress()}
      {...beside}
    >
      {/* A press on its text leaves the focus, and so the keys, in the dialog. */}
      <div className={styles.content} tabIndex={-1}>
        <div className={`spread ${styles.head}`}>
          <h2 id={`${id}-title`}>{title}</h2>
          <CloseButton onPress={onClose} />
        </div>
        <div id={`${id}-body`} className={styles.body}>
          {children}
        </div>
      </div>
    </dialog>,
    document.body,
  );
}

interface Layer {
  readonly dialog: HTMLDialogElement;
  /** What had the focus before. */
  opener: Element | null;
}

/** The open dialogs, the top one last. */
const layers: Layer[] = [];

const isOnTop = (dialog: HTMLDialogElement): boolean => layers.at(-1)?.dialog === dialog;

/** Screen readers learn of a moved region in this time. */
const KNOWN_AFTER_MS = 200;

/** The browser makes all but the top dialog inert: elsewhere toasts would be neither pressed nor announced. */
function moveToasts(): void {
  (layers.at(-1)?.dialog ?? document.body).append(toastRoot.element);
  toastRoot.knownAt = performance.now() + KNOWN_AFTER_MS;
}

/** Opens a dialog above all else. @returns what closes it, and gives the focus back to where it was */
function openOnTop(dialog: HTMLDialogElement): () => void {
  const layer: Layer = { dialog, opener: document.activeElement };
  putAwaySuccesses();
  dialog.showModal();
  layers.push(layer);
  moveToasts();
  return () => {
    const place = layers.indexOf(layer);
    layers.splice(place, 1);
    moveToasts();
    dialog.close();
    const above = layers[place];
    // Both may close at once, this one first: the focus then goes where the upper one's opener cannot take it.
    if (above !== undefined) {
      if (dialog.contains(above.opener)) above.opener = layer.opener;
    } else if (layer.opener instanceof HTMLElement) layer.opener.focus({ preventScroll: true });
  };
}

/** Opens the dialog, moves the focus into it, and closes it at Escape unless what is in it takes the key. */
function useModal(ref: RefObject<HTMLDialogElement | null>, onClose: () => void): void {
  const onKey = useEffectEvent((event: globalThis.KeyboardEvent, dialog: HTMLDialogElement) => {
    if (event.key !== 'Escape' || event.defaultPrevented || !isOnTop(dialog)) return;
    event.preventDefault();
    onClose();
  });
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return undefined;
    const close = openOnTop(dialog);
    // Else the × comes first; the browser would take the content, whose tabIndex is for the pointer.
    const first = dialog.querySelector<HTMLElement>('[data-autofocus]') ?? dialog.querySelector('button');
    first?.focus({ preventScroll: true });
    // At the window, because the focus is nowhere once its element is gone.
    const listen = (event: globalThis.KeyboardEvent) => onKey(event, dialog);
    window.addEventListener('keydown', listen);
    return () => {
      window.removeEventListener('keydown', listen);
      close();
    };
  }, [ref]);
}

/** Calls `act` at a click that begins and ends beside the dialog. A text selected beyond its edge is none. */
function usePressBeside(act: () => void) {
  const isBeside = useRef(false);
  const isOnBackdrop = ({ target, currentTarget }: MouseEvent<HTMLElement>) => target === currentTarget;
  return {
    onPointerDown(event: MouseEvent<HTMLElement>) {
      isBeside.current = isOnBackdrop(event);
    },
    onClick(event: MouseEvent<HTMLElement>) {
      if (isBeside.current && isOnBackdrop(event)) act();
    },
  };
}

const DOUBLE_CLICK_MS = 500;

/**
 * Returns a handler that stops the second click of a double click whose first one opened the dialog: it is meant for
 * what lay there before. On a slow machine that click may be older than the dialog.
 */
function useOpeningPress() {
  const [openedAt] = useState(() => performance.now());
  return (event: MouseEvent<HTMLElement>) => {
    if (event.detail < 2 || event.timeStamp - openedAt > DOUBLE_CLICK_MS) return;
    event.preventDefault();
    event.stopPropagation();
  };
}

/** Presses the primary button by Ctrl+Enter. A danger needs its own press. */
function pressPrimary(event: KeyboardEvent<HTMLElement>): void {
  // React passes on the keys of a dialog that was opened from this one.
  if (!isKey('confirm', event.nativeEvent) || !event.currentTarget.contains(event.target as Node)) return;
  event.preventDefault();
  event.stopPropagation();
  const { currentTarget: dialog } = event;
  const find = (kind: string) => dialog.querySelector<HTMLButtonElement>(`button[${kind}]`);
  (find('data-filled') ?? find('data-primary'))?.click();
}
