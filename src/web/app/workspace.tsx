import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Outlet } from 'react-router';
import { Kit } from '#web/components/kit.tsx';
import { queryClient } from '#web/lib/query-client.ts';
import { prepareToasts } from '#web/lib/toast.ts';

/** What all screens behind the login share and the login screen need not load. */
export function Component() {
  useEffect(prepareToasts, []);
  return (
    <QueryClientProvider client={queryClient}>
      <Kit>
        <Outlet />
      </Kit>
    </QueryClientProvider>
  );
}
