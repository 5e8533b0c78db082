import { lazy, type ReactNode, Suspense } from 'react';
import { URGENCIES, type Urgency, useWaitingToasts } from '#web/lib/toast.ts';
import styles from './toasts.module.css';

const ToastOutlet = lazy(() => import('./toast-outlet.tsx'));

/** Stands once in the page; toasts come from lib/toast.ts. */
export function Toasts() {
  const wanted = useWaitingToasts((state) => state.wanted);
  return (
    <LiveRegions>
      {(urgency) =>
        wanted ? (
          <Suspense fallback={null}>
            <ToastOutlet urgency={urgency} />
          </Suspense>
        ) : null
      }
    </LiveRegions>
  );
}

/** There before any message: of a region that comes with its message in it, screen readers often tell nothing. */
export function LiveRegions({ children }: { readonly children: (urgency: Urgency) => ReactNode }) {
  return (
    <div className={styles.toasts}>
      {URGENCIES.map((urgency) => (
        // Not atomic: what is told is the new message, not all that are there.
        <div key={urgency} role={urgency} aria-atomic="false" className={styles.region}>
          {children(urgency)}
        </div>
      ))}
    </div>
  );
}
