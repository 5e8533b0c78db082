import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, use } from 'react';
import { Bell } from '#web/features/notices/bell.tsx';
import { RunChip } from '#web/features/send-logs/run-chip.tsx';
import { listPath, sendPath } from '#web/lib/address/params.ts';
import { PATHS, prospectPath, RESERVATIONS_PATH } from '#web/lib/address/paths.ts';
import { queryClient } from '#web/lib/query-client.ts';
import { useSession } from '#web/lib/session-store.ts';
import { Overlays } from './overlays.tsx';
import { ShellPlacesContext } from './shell/shell-places.ts';
import { StripBar } from './shell/strip-bar.tsx';

const NOTICE_PATHS = {
  run: sendPath,
  runs: PATHS.sends,
  reservations: RESERVATIONS_PATH,
  company: prospectPath,
  replies: listPath({ status: 'replied' }),
  suppressions: PATHS.suppressions,
  imports: PATHS.imports,
  domains: PATHS.settingsDomains,
  settings: PATHS.settingsNotices,
};

/** Surrounds all screens behind the login. The login screen loads without it. */
export function Component({ children }: { readonly children: ReactNode }) {
  const isLoggedIn = useSession((state) => state.token !== null);
  const { stripPlace, runPlace, runLinePlace, bellPlace } = use(ShellPlacesContext);
  return (
    <QueryClientProvider client={queryClient}>
      {children}
      {isLoggedIn ? (
        <>
          <StripBar place={stripPlace} />
          <Bell place={bellPlace} paths={NOTICE_PATHS} />
          <RunChip chipPlace={runPlace} linePlace={runLinePlace} />
          <Overlays />
        </>
      ) : null}
    </QueryClientProvider>
  );
}
