import { create } from 'zustand';

export type ToastType = 'default' | 'success' | 'error' | 'info' | 'warning';
export const TOAST_POSITIONS = ['top', 'top-left', 'top-right', 'bottom', 'bottom-left', 'bottom-right'] as const;
export type ToastPosition = (typeof TOAST_POSITIONS)[number];

/** Roles of the two live regions: `alert` interrupts a screen reader, `status` waits for a pause. */
export const URGENCIES = ['alert', 'status'] as const;
export type Urgency = (typeof URGENCIES)[number];

export const urgencyOf = (type: ToastType): Urgency => (type === 'warning' || type === 'error' ? 'alert' : 'status');

export interface Toast {
  readonly id: number;
  readonly type: ToastType;
  readonly message: string;
  readonly position: ToastPosition;
  /** How often it was requested while open. Each request restarts its four seconds. */
  readonly times: number;
}

/** Open and queued toasts, oldest first; components/toasts.tsx shows them. */
export const useToasts = create<{ readonly toasts: readonly Toast[] }>()(() => ({ toasts: [] }));

let lastId = 0;

/** Shows a message for four seconds. An equal open toast restarts instead. */
export function toast(type: ToastType, message: string, position: ToastPosition = 'top-right'): void {
  const isEqual = (open: Toast) => open.type === type && open.message === message && open.position === position;
  useToasts.setState(({ toasts }) => {
    if (toasts.some(isEqual)) {
      return { toasts: toasts.map((open) => (isEqual(open) ? { ...open, times: open.times + 1 } : open)) };
    }
    lastId += 1;
    return { toasts: [...toasts, { id: lastId, type, message, position, times: 1 }] };
  });
}

export function closeToast(id: number): void {
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((open) => open.id !== id) }));
}
