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
  /** The content is loading: on phones the dialog starts at the top, so that nothing moves when it grows. */
  readonly grows?: boolean;
  /** On phones a long form covers most of the window from its bottom. */
  readonly isSheet?: boolean;
  /** Called at Escape, × or a press outside. It may keep the dialog open. */
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * Shows a native modal dialog, which traps the focus and gives it back. Ctrl+Enter presses its primary button. The
 * element with data-autofocus gets the first focus. A portal renders it in the body, outside of any style or form.
 */
export function Dialog({ title, size = 460, grows = false, isSheet = false, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useModal(dialog, onClose);
  const beside = usePressBeside(onClose);
  return createPortal(
    <dialog
      ref={dialog}
      // Prevents the browser from closing it: a second Escape would close even a dialog that must stay open.
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
      {/* Focusable by pointer: after a press on a text the dialog still receives the keys. */}
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
  /** The element that had the focus before. */
  opener: Element | null;
}

/** The open dialogs from bottom to top. */
const layers: Layer[] = [];

const isOnTop = (dialog: HTMLDialogElement): boolean => layers.at(-1)?.dialog === dialog;

/** The time in ms after which screen readers know a moved live region. */
const KNOWN_AFTER_MS = 200;

/** Moves the toasts into the top dialog. All else is inert: toasts there could not be pressed or announced. */
function moveToasts(): void {
  (layers.at(-1)?.dialog ?? document.body).append(toastRoot.element);
  toastRoot.knownAt = performance.now() + KNOWN_AFTER_MS;
}

/** Opens a dialog above all others. @returns a function that closes it and restores the focus */
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
    // Both may close at once, this one first: pass its opener to the upper dialog, whose own opener is gone.
    if (above !== undefined) {
      if (dialog.contains(above.opener)) above.opener = layer.opener;
    } else if (layer.opener instanceof HTMLElement) layer.opener.focus({ preventScroll: true });
  };
}

/** Opens the dialog, moves the focus into it, and closes it at Escape unless an element inside handles the key. */
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
    // Otherwise the × gets the first focus, or the browser focuses the content, whose tabIndex serves the pointer.
    const first = dialog.querySelector<HTMLElement>('[data-autofocus]') ?? dialog.querySelector('button');
    first?.focus({ preventScroll: true });
    // Listens on the window, because nothing has the focus once its element is removed.
    const listen = (event: globalThis.KeyboardEvent) => onKey(event, dialog);
    window.addEventListener('keydown', listen);
    return () => {
      window.removeEventListener('keydown', listen);
      close();
    };
  }, [ref]);
}

/** Calls `act` at a click that begins and ends outside the dialog. A text selection that ends outside is ignored. */
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
 * Returns a handler that stops the second click of a double click that opened the dialog: it was meant for the element
 * below. On a slow machine that click may be older than the dialog.
 */
function useOpeningPress() {
  const [openedAt] = useState(() => performance.now());
  return (event: MouseEvent<HTMLElement>) => {
    if (event.detail < 2 || event.timeStamp - openedAt > DOUBLE_CLICK_MS) return;
    event.preventDefault();
    event.stopPropagation();
  };
}

/** Presses the primary button by Ctrl+Enter. A danger button must be pressed itself. */
function pressPrimary(event: KeyboardEvent<HTMLElement>): void {
  // React also passes the keys of a dialog that was opened from this one.
  if (!isKey('confirm', event.nativeEvent) || !event.currentTarget.contains(event.target as Node)) return;
  event.preventDefault();
  event.stopPropagation();
  const { currentTarget: dialog } = event;
  const find = (kind: string) => dialog.querySelector<HTMLButtonElement>(`button[${kind}]`);
  (find('data-filled') ?? find('data-primary'))?.click();
}
