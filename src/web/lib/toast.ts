import { create } from 'zustand';

export type ToastType = 'default' | 'success' | 'error' | 'info' | 'warning';
export type ToastPosition = 'top' | 'top-left' | 'top-right' | 'bottom' | 'bottom-left' | 'bottom-right';

/** The roles of the regions that tell of toasts: one waits until a screen reader pauses, the other does not. */
export const URGENCIES = ['alert', 'status'] as const;
export type Urgency = (typeof URGENCIES)[number];

export const urgencyOf = (type: ToastType): Urgency => (type === 'warning' || type === 'error' ? 'alert' : 'status');

export interface ToastMessage {
  readonly type: ToastType;
  readonly message: string;
  readonly position: ToastPosition;
}

/** What components/toasts.tsx has still to show, and whether it should load the kit for it. */
export const useWaitingToasts = create<{ readonly wanted: boolean; readonly waiting: readonly ToastMessage[] }>()(
  () => ({
    wanted: false,
    waiting: [],
  }),
);

/** Shows a message for four seconds. Each line of the message stands on a line of its own. */
export function toast(type: ToastType, message: string, position: ToastPosition = 'top-right'): void {
  useWaitingToasts.setState(({ waiting }) => ({ wanted: true, waiting: [...waiting, { type, message, position }] }));
}

/** Loads what shows toasts before there is one: a message about a lost connection could not fetch it any more. */
export function prepareToasts(): void {
  useWaitingToasts.setState({ wanted: true });
}

export function takeWaitingToasts(): readonly ToastMessage[] {
  const { waiting } = useWaitingToasts.getState();
  if (waiting.length > 0) useWaitingToasts.setState({ waiting: [] });
  return waiting;
}
