import { queryOptions, useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode } from 'react';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { call } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { RESTORED } from '#web/lib/api/query-keys.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';

const RestoredPlans = lazy(() =>
  loadPart(() => import('./restored-plans.tsx')).then(({ RestoredPlans: plans }) => ({ default: plans })),
);

/** Fetches the runs and reservations that a restored backup has put on hold. reloadLists() repeats it. */
const restoredPlans = queryOptions({
  queryKey: [RESTORED],
  queryFn: async ({ signal }) => unwrap(await call('getRestored', {}, { signal })),
  meta: SHOWN_IN_PLACE,
  retry: false,
});

/** Shows a list below the runs and reservations on hold since a restore, once these have loaded. */
export function BelowRestored({ children }: { readonly children: ReactNode }) {
  const { data, isPending } = useQuery(restoredPlans);
  return (
    <PartBoundary>
      {data === undefined || data.runs + data.reservations === 0 ? null : <RestoredPlans {...data} />}
      <div style={{ display: isPending ? 'none' : 'contents' }}>{children}</div>
    </PartBoundary>
  );
}
