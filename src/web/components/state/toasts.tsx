import { type CSSProperties, useLayoutEffect } from 'react';
import { createPortal } from 'react-dom';
import { URGENCIES, urgencyOf, useToasts } from '#web/lib/screen/toast.ts';
import { TOAST_POSITIONS } from '#web/lib/screen/toast-place.ts';
import { toastRoot, useAnnounced } from '#web/lib/screen/toast-root.ts';
import { ToastCard } from './toast-card.tsx';
import styles from './toasts.module.css';

/** The number of toasts shown at one position. The others wait. */
const MAX_SHOWN = 5;

/** The margins of a position in px. */
const PLACE_MARGINS = 32;

/** Sets the toasts' height as a custom property, so that no dialog covers them. */
function leaveRoom(): void {
  const places = [...toastRoot.element.querySelectorAll<HTMLElement>('[data-position]')];
  const height = places.reduce((sum, { offsetHeight }) => sum + offsetHeight + PLACE_MARGINS, 0);
  document.documentElement.style.setProperty('--k-toasts', `${height}px`);
}

/**
 * Shows the toasts of lib/screen/toast.ts, once for the whole page.
 * Part of the first load, because a message about a lost connection could not load code.
 */
export function Toasts() {
  const open = useToasts((state) => state.toasts);
  const announced = useAnnounced(open);
  // A closed toast leaves at once: a dialog that opens closes those that it would cover.
  const toasts = announced.filter(({ id }) => open.some((toast) => toast.id === id));
  useLayoutEffect(() => document.body.append(toastRoot.element), []);
  useLayoutEffect(leaveRoom);
  return createPortal(
    <div className={`screen-only ${styles.toasts}`}>
      {URGENCIES.map((urgency) => (
        // Rendered before any message and not atomic, so that screen readers announce only added messages.
        <div key={urgency} role={urgency} aria-atomic="false" className={styles.region}>
          {TOAST_POSITIONS.map((position) => {
            const here = toasts.filter((toast) => urgencyOf(toast.type) === urgency && toast.position === position);
            return here.length === 0 ? null : (
              <div
                key={position}
                className={`stack-wide ${styles.place}`}
                data-position={position}
                style={{ '--offset': `${Math.max(...here.map(({ offset }) => offset))}px` } as CSSProperties}
              >
                {here.slice(0, MAX_SHOWN).map((toast) => (
                  <ToastCard key={toast.id} {...toast} />
                ))}
              </div>
            );
          })}
        </div>
      ))}
    </div>,
    toastRoot.element,
  );
}
