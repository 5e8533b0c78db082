import { useEffect, useRef, useState } from 'react';
import { hrefOf } from '#web/lib/router/location.ts';
import { useLocation, useRouter } from '#web/lib/router/use-router.ts';

export interface SecondView {
  readonly isShown: boolean;
  readonly open: () => Promise<void>;
  /** Leaves the view, and then does this. */
  readonly leave: (then?: () => void) => void;
}

/**
 * Manages the second view of the log-in. It is an entry of the history: the browser's back button leads to the first
 * view, and no back button leads to a used one.
 */
export function useSecondView(): SecondView {
  const router = useRouter();
  const location = useLocation();
  const [entry, setEntry] = useState<string | null>(null);
  const [isLeaving, setLeaving] = useState(false);
  const next = useRef<() => void>(undefined);
  const isOpen = location.key === entry;
  useEffect(() => {
    if (isOpen || !isLeaving) return;
    const { current: then } = next;
    next.current = undefined;
    // Until the next screen has loaded, the view stays.
    if (then === undefined) setLeaving(false);
    else then();
  }, [isOpen, isLeaving]);
  return {
    isShown: isOpen || isLeaving,
    async open() {
      await router.navigate(hrefOf(location));
      setEntry(router.state.location.key);
    },
    leave(then) {
      if (!isOpen) return then?.();
      next.current = then;
      setLeaving(true);
      router.back();
    },
  };
}
