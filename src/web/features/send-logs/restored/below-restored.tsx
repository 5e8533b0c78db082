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

/** What the account has of a backup that was restored. reloadLists() asks again. */
const restoredPlans = queryOptions({
  queryKey: [RESTORED],
  queryFn: async ({ signal }) => unwrap(await call('getRestored', {}, { signal })),
  meta: SHOWN_IN_PLACE,
  retry: false,
});

/** A list below what waits since a restore. It is shown once it is known whether anything does: nothing jumps. */
export function BelowRestored({ children }: { readonly children: ReactNode }) {
  const { data, isPending } = useQuery(restoredPlans);
  return (
    <PartBoundary>
      {data === undefined || data.runs + data.reservations === 0 ? null : <RestoredPlans {...data} />}
      <div style={{ display: isPending ? 'none' : 'contents' }}>{children}</div>
    </PartBoundary>
  );
}
