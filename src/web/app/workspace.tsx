import { QueryClientProvider } from '@tanstack/react-query';
import { Outlet } from 'react-router';
import { Kit } from '#web/components/kit.tsx';
import { queryClient } from '#web/lib/query-client.ts';

/** What all screens behind the login share and the login screen need not load. */
export function Component() {
  return (
    <QueryClientProvider client={queryClient}>
      <Kit>
        <Outlet />
      </Kit>
    </QueryClientProvider>
  );
}
