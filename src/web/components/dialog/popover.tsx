import { type KeyboardEvent, type ReactNode, type Ref, type RefObject, useEffect, useEffectEvent, useRef } from 'react';
import { useActElsewhere } from '#web/lib/api/use-act-elsewhere.ts';
import { useLocation } from '#web/lib/router/use-router.ts';
import { CloseButton } from './close-button.tsx';
import { usePlaceBeside } from './place-beside.ts';
import styles from './popover.module.css';

interface Props {
  /** The title; a noun, as in a dialog. */
  readonly title: string;
  readonly isOpen: boolean;
  /** Called by the button, and by Escape, ×, a press or a focus elsewhere, and another screen. */
  readonly onToggle: (isOpen: boolean) => void;
  /** The button's content. */
  readonly label: ReactNode;
  readonly hint?: string | undefined;
  readonly className?: string | undefined;
  readonly buttonClass?: string | undefined;
  readonly buttonRef?: Ref<HTMLButtonElement> | undefined;
  /** The panel lies over all that would cut it, as a cell of a table does. */
  readonly isOnTop?: boolean | undefined;
  readonly children: ReactNode;
}

/** Shows a button that opens a panel above the page, which stays usable. */
export function Popover({ title, isOpen, onToggle, label, hint, className = '', children, ...rest }: Props) {
  const { buttonClass, buttonRef, isOnTop } = rest;
  const root = useRef<HTMLDivElement>(null);
  const close = () => onToggle(false);
  const elsewhere = useActElsewhere(isOpen ? 'press' : null, close);

  function closeAndReturn(): void {
    close();
    root.current?.querySelector('button')?.focus({ preventScroll: true });
  }

  function onKeyDown(event: KeyboardEvent): void {
    // Ignore Escape in a dialog that was opened from here.
    if (!isOpen || event.key !== 'Escape' || !event.currentTarget.contains(event.target as Node)) return;
    event.preventDefault();
    closeAndReturn();
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the focus of the button and of what is under it
    <div
      ref={root}
      className={`${styles.anchor} ${className}`}
      {...elsewhere}
      onKeyDown={onKeyDown}
      onBlur={({ currentTarget, relatedTarget }) => {
        // A dialog that was opened from here returns the focus here.
        const isHere = !(relatedTarget instanceof Element) || currentTarget.contains(relatedTarget);
        if (isOpen && !isHere && relatedTarget.closest('[aria-modal]') === null) close();
      }}
    >
      <button
        ref={buttonRef}
        type="button"
        className={buttonClass}
        title={hint}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => onToggle(!isOpen)}
      >
        {label}
      </button>
      {isOpen ? (
        <Panel title={title} anchor={isOnTop ? root : undefined} onLeave={close} onClose={closeAndReturn}>
          {children}
        </Panel>
      ) : null}
    </div>
  );
}

interface PanelProps extends Pick<Props, 'title' | 'children'> {
  /** What a panel on top stands at. */
  readonly anchor: RefObject<HTMLElement | null> | undefined;
  readonly onLeave: () => void;
  /** The focus returns to the button. */
  readonly onClose: () => void;
}

function Panel({ title, anchor, onLeave, onClose, children }: PanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  const { pathname } = useLocation();
  const openedAt = useRef(pathname);
  const leave = useEffectEvent(onLeave);
  usePlaceBeside(panel, anchor);
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    if (pathname !== openedAt.current) leave();
  }, [pathname]);

  return (
    <div
      ref={panel}
      role="dialog"
      aria-label={title}
      tabIndex={-1}
      popover={anchor === undefined ? undefined : 'manual'}
      className={`floats fades ${styles.panel}`}
    >
      <div className="spread">
        <strong>{title}</strong>
        <CloseButton onPress={onClose} />
      </div>
      <div className={styles.body}>{children}</div>
    </div>
  );
}
