import { QueryClientProvider } from '@tanstack/react-query';
import { Outlet } from 'react-router';
import { Kit } from '#web/components/kit.tsx';
import { RunDock } from '#web/features/send-history/run-dock.tsx';
import { queryClient } from '#web/lib/query-client.ts';
import { useSession } from '#web/lib/session-store.ts';
import { PATHS, sendPath } from './paths.ts';

/** Surrounds all screens behind the login. The login screen loads without it. */
export function Component() {
  const isLoggedIn = useSession((state) => state.token !== null);
  return (
    <QueryClientProvider client={queryClient}>
      <Kit>
        <Outlet />
        {isLoggedIn ? <RunDock pathOf={sendPath} allPath={PATHS.sends} /> : null}
      </Kit>
    </QueryClientProvider>
  );
}
