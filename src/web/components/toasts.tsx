import { lazy, Suspense } from 'react';
import { useWaitingToasts } from '#web/lib/toast.ts';

const ToastOutlet = lazy(() => import('./toast-outlet.tsx'));

/** Stands once in the page; toasts come from lib/toast.ts. */
export function Toasts() {
  const wanted = useWaitingToasts((state) => state.wanted);
  return wanted ? (
    <Suspense fallback={null}>
      <ToastOutlet />
    </Suspense>
  ) : null;
}
