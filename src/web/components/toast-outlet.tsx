import '@mantine/core/styles/Notification.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/notifications/styles.css';
import { type NotificationData, Notifications, notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCheck, IconInfoCircle, IconX } from '@tabler/icons-react';
import { useEffect } from 'react';
import { type ToastMessage, takeWaitingToasts, type Urgency, urgencyOf, useWaitingToasts } from '#web/lib/toast.ts';
import { WORDS } from '#web/lib/words.ts';
import { Kit } from './kit.tsx';
import styles from './toast-outlet.module.css';
import { TOAST_STORES } from './toast-stores.ts';

// Colours that carry a white icon at 4.5:1 or more; the icon tells the type without its colour.
const LOOKS = {
  default: { color: 'gray.7' },
  success: { color: 'green.9', icon: <IconCheck size={18} aria-hidden /> },
  error: { color: 'red.9', icon: <IconX size={18} aria-hidden /> },
  info: { color: 'blue.9', icon: <IconInfoCircle size={18} aria-hidden /> },
  warning: { color: '#a85b00', icon: <IconAlertTriangle size={18} aria-hidden /> },
};

const PLACES = {
  top: 'top-center',
  'top-left': 'top-left',
  'top-right': 'top-right',
  bottom: 'bottom-center',
  'bottom-left': 'bottom-left',
  'bottom-right': 'bottom-right',
} as const;

const LIFE_MS = 4000;

/** Whoever is in a toast by keyboard has time to read it, and is back where they came from when they close it. */
function show({ type, message, position }: ToastMessage): void {
  let cameFrom: HTMLElement | null = null;
  const store = TOAST_STORES[urgencyOf(type)];
  const setLife = (autoClose: number | false) => notifications.update({ ...toast, id, autoClose }, store);
  const toast: NotificationData = {
    ...LOOKS[type],
    message: message.split('\n').map((line) => <div key={line}>{line}</div>),
    position: PLACES[position],
    // The region around it tells of it.
    role: 'group',
    withBorder: true,
    closeButtonProps: { 'aria-label': WORDS.actions.close },
    onFocusCapture: ({ currentTarget, relatedTarget }) => {
      if (currentTarget.contains(relatedTarget)) return;
      cameFrom = relatedTarget instanceof HTMLElement ? relatedTarget : null;
      setLife(false);
    },
    onBlurCapture: ({ currentTarget, relatedTarget }) => {
      if (currentTarget.contains(relatedTarget)) return;
      cameFrom = null;
      setLife(LIFE_MS);
    },
    onClose: () => cameFrom?.focus(),
  };
  const id = notifications.show(toast, store);
}

export default function ToastOutlet({ urgency }: { readonly urgency: Urgency }) {
  const waiting = useWaitingToasts((state) => state.waiting);
  useEffect(() => {
    if (waiting.length > 0) takeWaitingToasts().forEach(show);
  }, [waiting]);
  return (
    <Kit>
      <Notifications
        store={TOAST_STORES[urgency]}
        withinPortal={false}
        position="top-right"
        autoClose={LIFE_MS}
        transitionDuration={150}
        pauseResetOnHover="notification"
        limit={5}
        containerWidth={380}
        className={styles.place}
      />
    </Kit>
  );
}
