import { create } from 'zustand';
import { freePlace, heightOf, type ToastPlace, type ToastPosition } from './toast-place.ts';

export type ToastType = 'default' | 'success' | 'error' | 'info' | 'warning';

/** Roles of the two live regions: `alert` interrupts a screen reader, `status` waits for a pause. */
export const URGENCIES = ['alert', 'status'] as const;
export type Urgency = (typeof URGENCIES)[number];

export const urgencyOf = (type: ToastType): Urgency => (type === 'warning' || type === 'error' ? 'alert' : 'status');

/** A button in a toast. */
export interface ToastAct {
  readonly label: string;
  readonly run: () => void;
}

export interface Toast extends ToastPlace {
  readonly id: number;
  readonly type: ToastType;
  readonly message: string;
  readonly act?: ToastAct | undefined;
  /** The number of requests while it was open. Each restarts its four seconds. */
  readonly times: number;
}

/** Open and queued toasts, oldest first; components/toasts.tsx shows them. */
export const useToasts = create<{ readonly toasts: readonly Toast[] }>()(() => ({ toasts: [] }));

let lastId = 0;

/**
 * Shows a message for four seconds. If an equal toast is open, its time restarts instead.
 *
 * @param position undefined: where it covers no control
 */
export function toast(type: ToastType, message: string, position?: ToastPosition, act?: ToastAct): void {
  const isEqual = (open: Toast) =>
    open.type === type && open.message === message && (position === undefined || open.position === position);
  useToasts.setState(({ toasts }) => {
    if (toasts.some(isEqual)) {
      return { toasts: toasts.map((open) => (isEqual(open) ? { ...open, act, times: open.times + 1 } : open)) };
    }
    const heightAt = (at: ToastPosition) =>
      heightOf([...toasts.filter((open) => open.position === at), { message }].map((shown) => shown.message));
    const place = position === undefined ? freePlace(heightAt) : { position, offset: 0 };
    lastId += 1;
    return { toasts: [...toasts, { id: lastId, type, message, ...place, act, times: 1 }] };
  });
}

/** Closes success toasts when another action begins. Errors stay. */
export function putAwaySuccesses(): void {
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter(({ type }) => type !== 'success') }));
}

export function closeToast(id: number): void {
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((open) => open.id !== id) }));
}
