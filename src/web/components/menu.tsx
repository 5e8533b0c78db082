import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import styles from './menu.module.css';

interface Props {
  /** The button's content. */
  readonly label: ReactNode;
  readonly className?: string | undefined;
  readonly panelClass?: string | undefined;
  /** The present screen is one of the links in it. */
  readonly isCurrent?: boolean;
  /** Links and buttons. */
  readonly children: ReactNode;
}

/** A button that shows links below it, until one is chosen or the focus leaves. */
export function Menu({ label, className = '', panelClass = '', isCurrent = false, children }: Props) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    if (!open) return;
    const closeOutside = ({ target }: PointerEvent) => {
      if (!root.current?.contains(target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', closeOutside);
    return () => document.removeEventListener('pointerdown', closeOutside);
  }, [open]);

  function close(): void {
    setOpen(false);
    button.current?.focus({ preventScroll: true });
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape' && open) {
      event.preventDefault();
      close();
    }
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys and focus of the button and the links in it
    <div
      ref={root}
      className={`${styles.menu} ${className}`}
      onKeyDown={onKeyDown}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (relatedTarget !== null && !currentTarget.contains(relatedTarget)) setOpen(false);
      }}
    >
      <button
        ref={button}
        type="button"
        className={styles.button}
        aria-expanded={open}
        data-current={isCurrent || undefined}
        onClick={() => setOpen(!open)}
      >
        {label}
      </button>
      {open ? (
        // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/noStaticElementInteractions: the links take the keys
        <div className={`${styles.panel} ${panelClass}`} onClick={close}>
          {children}
        </div>
      ) : null}
    </div>
  );
}
