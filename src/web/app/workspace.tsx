import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, type ReactNode, use, useEffect } from 'react';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { FirstStepsPlace } from '#web/features/first-steps/first-steps-place.tsx';
import { useHandFiles } from '#web/features/imports/handed-files.ts';
import { Bell } from '#web/features/notices/bell.tsx';
import { noteToldEnd } from '#web/features/notices/told-ends-state.ts';
import { ReservationCount } from '#web/features/reservations/reservation-count.tsx';
import { RunChip } from '#web/features/send-logs/followed/run-chip.tsx';
import { listPath, sendPath } from '#web/lib/address/params.ts';
import { PATHS, prospectPath } from '#web/lib/address/paths.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { useRefusals } from '#web/lib/api/refusals.ts';
import { useKey } from '#web/lib/screen/keys.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { useSession } from '#web/lib/session/session-store.ts';
import { closeOverlay, useOverlay } from './overlay-state.ts';
import styles from './overlays.module.css';
import { ShellPlacesContext } from './shell/shell-places.ts';
import { StripBar } from './shell/strip-bar.tsx';
import { APP_MESSAGES } from './words.ts';

const FirstDayBar = lazy(() => loadPart(() => import('./list/first-day-bar.tsx')));

const NOTICE_PATHS = {
  run: sendPath,
  runs: PATHS.sends,
  reservations: PATHS.reservations,
  company: prospectPath,
  replies: listPath({ status: 'replied' }),
  suppressions: PATHS.suppressions,
  imports: PATHS.imports,
  domains: PATHS.settingsDomains,
  mailboxes: PATHS.settingsMailboxes,
  settings: PATHS.settingsNotices,
};

/** Surrounds all screens behind the login. The login screen does not load it. */
export function Component({ children }: { readonly children: ReactNode }) {
  const isLoggedIn = useSession((state) => state.token !== null);
  const { stripPlace, firstStepsPlace, runPlace, runLinePlace, bellPlace, countPlace } = use(ShellPlacesContext);
  const handFiles = useHandFiles();
  useFreshMember();

  return (
    <QueryClientProvider client={queryClient}>
      {children}
      {isLoggedIn ? (
        <>
          <StripBar place={stripPlace} />
          <FirstStepsPlace place={firstStepsPlace} onFiles={handFiles} renderBar={(bar) => <FirstDayBar {...bar} />} />
          <Bell place={bellPlace} paths={NOTICE_PATHS} />
          <ReservationCount place={countPlace} nameOf={APP_MESSAGES.shell.nav.pending} />
          <RunChip chipPlace={runPlace} linePlace={runLinePlace} onTold={noteToldEnd} />
          <Overlays />
        </>
      ) : null}
    </QueryClientProvider>
  );
}

/**
 * Keeps the member's role and groups true: reads them again after a refusal, and where another tab handed over a
 * session without the groups.
 */
function useFreshMember(): void {
  const refusals = useRefusals((state) => state.refusals);
  const isPartial = useSession(({ current_user }) => current_user?.member?.sender_group_ids === undefined);
  const hasMember = useSession(({ current_user }) => current_user?.member !== undefined);
  const isStale = hasMember && (isPartial || refusals > 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each refusal may have another cause
  useEffect(() => {
    if (isStale) {
      void loadPart(() => import('#web/features/account/account-query.ts')).then(({ readMember }) =>
        readMember(queryClient),
      );
    }
  }, [isStale, refusals]);
}

/** Clicks the save button of the form that has the focus. @returns whether there is one */
function saveForm(): boolean {
  const form = document.activeElement?.closest('form');
  form?.querySelector<HTMLButtonElement>('button[type="submit"]')?.click();
  return form !== null && form !== undefined;
}

const Palette = lazy(() => loadPart(() => import('./palette/palette.tsx')));

const KeysDialog = lazy(() => loadPart(() => import('./keys/keys-dialog.tsx')));

/** Shows the dialogs of the frame, and handles the key that saves the form of the screen. */
function Overlays() {
  const { overlay } = useOverlay();
  useKey('save', saveForm);
  if (overlay === null || overlay === 'add-company') return null;
  return (
    <PartBoundary className={`floats ${styles.failed}`}>
      {overlay === 'keys' ? <KeysDialog onClose={closeOverlay} /> : <Palette of={overlay} onClose={closeOverlay} />}
    </PartBoundary>
  );
}
