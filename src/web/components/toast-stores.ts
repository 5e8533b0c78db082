import { createNotificationsStore } from '@mantine/notifications';
import type { Urgency } from '#web/lib/toast.ts';

/** What is shown and what waits, for each live region. */
export const TOAST_STORES: Record<Urgency, ReturnType<typeof createNotificationsStore>> = {
  alert: createNotificationsStore(),
  status: createNotificationsStore(),
};
