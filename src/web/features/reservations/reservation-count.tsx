import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { createPortal } from 'react-dom';
import { call } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { RESERVATION_LIST } from '#web/lib/api/query-keys.ts';
import { useLocation } from '#web/lib/router/use-router.ts';
import styles from './reservation-count.module.css';

/** Fetches the number of real pending reservations. */
const pendingCount = queryOptions({
  queryKey: [RESERVATION_LIST, 'pending'],
  queryFn: async ({ signal }): Promise<number> => {
    const query = { state: 'pending', test_send_mode: 0, pagenate_count: 20 } as const;
    return unwrap(await call('viewReservations', { query }, { signal })).total;
  },
  meta: { quiet: true },
});

interface Props {
  /** The navigation's place for the number. */
  readonly place: HTMLElement | null;
  /** Returns the number's text for screen readers. */
  readonly nameOf: (pending: number) => string;
}

/** Shows the number of pending reservations in the navigation. Each new screen requests it: nothing polls. */
export function ReservationCount({ place, nameOf }: Props) {
  const { pathname } = useLocation();
  const { data = 0, refetch } = useQuery(pendingCount);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each new screen needs a request
  useEffect(() => void refetch(), [pathname, refetch]);

  if (place === null || data === 0) return null;
  return createPortal(
    <>
      <span aria-hidden className={styles.count}>
        {data.toLocaleString('ja-JP')}
      </span>
      <span className="visually-hidden">{nameOf(data)}</span>
    </>,
    place,
  );
}
