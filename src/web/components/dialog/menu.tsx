import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import buttons from '../button.module.css';
import styles from './menu.module.css';

interface Props {
  /** The button's content. */
  readonly label: ReactNode;
  /** The look of the button; absent: that of an entry in the header. */
  readonly variant?: 'default' | 'quiet';
  readonly className?: string | undefined;
  readonly panelClass?: string | undefined;
  /** Whether the menu contains the link of the current screen. */
  readonly isCurrent?: boolean;
  /** The panel lies over all that would cut it: below the button, as in a table, or above, as in a dialog's foot. */
  readonly onTop?: 'below' | 'above';
  /** Entries are switched one after the other: the menu closes when the focus leaves, or at Escape. */
  readonly staysOpen?: boolean;
  /** Links and buttons. */
  readonly children: ReactNode;
}

/**
 * Shows a button that opens a list of links and buttons, until one is chosen or the focus leaves. Arrow keys, Home and
 * End move in the list; the down arrow opens it too.
 */
export function Menu(props: Props) {
  const { label, variant, className = '', panelClass = styles.plain, isCurrent = false, onTop } = props;
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);

  usePressOutside(root, open, () => setOpen(false));
  useLayoutEffect(() => {
    if (!open || onTop === undefined) return;
    panel.current?.showPopover();
    const place = () => placeAt(button.current, panel.current, onTop === 'above');
    place();
    addEventListener('scroll', place, true);
    return () => removeEventListener('scroll', place, true);
  }, [open, onTop]);

  function close(): void {
    setOpen(false);
    button.current?.focus({ preventScroll: true });
  }

  function onKeyDown(event: KeyboardEvent): void {
    // A table takes the arrow keys of its closed menus.
    if (event.defaultPrevented) return;
    if (!open && event.key !== 'ArrowDown') return;
    if (event.key === 'Escape') {
      event.preventDefault();
      close();
      return;
    }
    flushSync(() => setOpen(true));
    const entries = [...(panel.current?.querySelectorAll<HTMLElement>('a, button:enabled') ?? [])];
    const at = entries.indexOf(event.target as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: Math.max(at, 0) - 1, Home: 0, End: -1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    entries.at(next % entries.length)?.focus();
  }

  /** Closes the menu. The chosen entry may have moved the focus itself. */
  function choose(): void {
    if (root.current?.contains(document.activeElement)) close();
    else setOpen(false);
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
        className={variant === undefined ? styles.button : `${buttons.button} ${buttons[variant]}`}
        aria-expanded={open}
        data-current={isCurrent || undefined}
        onClick={() => setOpen(!open)}
      >
        {label}
      </button>
      {open ? (
        // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/noStaticElementInteractions: the links take the keys
        <div
          ref={panel}
          popover={onTop && 'manual'}
          className={`floats ${styles.panel} ${panelClass}`}
          onClick={props.staysOpen === true ? undefined : choose}
        >
          {props.children}
        </div>
      ) : null}
    </div>
  );
}

/** Calls `act` at a press outside an element, while `isOn`. */
function usePressOutside(element: RefObject<HTMLElement | null>, isOn: boolean, act: () => void): void {
  const press = useEffectEvent(({ target }: PointerEvent) => {
    if (!element.current?.contains(target as Node)) act();
  });
  useEffect(() => {
    if (!isOn) return;
    document.addEventListener('pointerdown', press);
    return () => document.removeEventListener('pointerdown', press);
  }, [isOn]);
}

/** Places a popover above or below a button, where there is room, with its right edge at that of the button. */
function placeAt(button: HTMLElement | null, panel: HTMLElement | null, isAbove: boolean): void {
  if (panel === null || button === null) return;
  const { top, bottom, right } = button.getBoundingClientRect();
  const above = top - panel.offsetHeight - 4;
  const hasRoom = bottom + panel.offsetHeight + 4 < innerHeight;
  panel.style.top = `${above > 0 && (isAbove || !hasRoom) ? above : bottom + 4}px`;
  panel.style.right = `${Math.max(8, document.documentElement.clientWidth - Math.max(right, 200))}px`;
}

interface GroupProps {
  readonly label: string;
  readonly children: ReactNode;
}

/** Shows entries of a menu under a heading. */
export function MenuGroup({ label, children }: GroupProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups the controls of a form
    <div role="group" aria-label={label} className={styles.group}>
      <span aria-hidden>{label}</span>
      {children}
    </div>
  );
}
