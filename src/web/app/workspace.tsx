import { QueryClientProvider } from '@tanstack/react-query';
import { Outlet, useOutletContext } from 'react-router';
import { Kit } from '#web/components/kit.tsx';
import { RunDock } from '#web/features/send-history/run-dock.tsx';
import { queryClient } from '#web/lib/query-client.ts';
import { useSession } from '#web/lib/session-store.ts';
import { Overlays } from './overlays.tsx';
import { PATHS, sendPath } from './paths.ts';
import type { ShellContext } from './shell/shell.tsx';
import { StripBar } from './shell/strip-bar.tsx';

/** Surrounds all screens behind the login. The login screen loads without it. */
export function Component() {
  const isLoggedIn = useSession((state) => state.token !== null);
  const { stripPlace } = useOutletContext<ShellContext>();
  return (
    <QueryClientProvider client={queryClient}>
      <Kit>
        <Outlet />
        {isLoggedIn ? (
          <>
            <StripBar place={stripPlace} />
            <RunDock pathOf={sendPath} allPath={PATHS.sends} />
            <Overlays />
          </>
        ) : null}
      </Kit>
    </QueryClientProvider>
  );
}
