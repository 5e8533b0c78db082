import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ComponentProps, lazy, useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { CloseButton } from '#web/components/dialog/close-button.tsx';
import { Popover } from '#web/components/dialog/popover.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { sendPath } from '#web/lib/address/params.ts';
import { reloadLists } from '#web/lib/api/reload-lists.ts';
import { useActElsewhere } from '#web/lib/api/use-act-elsewhere.ts';
import { useLocation } from '#web/lib/router/use-router.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { toastRoot, useAnnounced } from '#web/lib/screen/toast-root.ts';
import { knownRun } from '../known-run.ts';
import { useUndoLines } from '../undo/use-undo-lines.ts';
import { latestRuns } from '../view-send-logs.ts';
import { RUN_CHIP_MESSAGES as messages } from '../words.ts';
import { ChipLabel } from './chip-label.tsx';
import {
  type FollowedRun,
  followOpenRuns,
  leadingFirst,
  openRunPanel,
  useFollowedRuns,
} from './followed-runs-state.ts';
import styles from './run-chip.module.css';
import { RunFollower } from './run-follower.tsx';

const RunPanel = lazy(() => loadPart(() => import('./run-panel.tsx')));

const UndoLines = lazy(() => loadPart(() => import('../undo-lines/undo-lines.tsx')));

const closePanel = () => openRunPanel(null);

interface Props {
  /** The header's place for the chip. */
  readonly chipPlace: HTMLElement | null;
  /** The place below the header, for the panel in the page, and on phones for the chip. */
  readonly linePlace: HTMLElement | null;
  /** Called when a toast has told the end of a real run. */
  readonly onTold: (id: number) => void;
}

/** Returns the runs that can be undone, which have a line each, and those that the chip shows. */
function useShown(followed: readonly FollowedRun[]) {
  const known = useQueries({
    queries: followed.map(({ id }) => knownRun(id)),
    combine: (answers) => answers.map(({ data }) => data),
  });
  const lines = useUndoLines(known.flatMap((run) => run ?? []));
  // A run found elsewhere is shown only once it is known whether it can be undone.
  const shown = followed.filter(
    ({ id, hasBegun }, place) => (hasBegun || known[place] !== undefined) && lines.every(({ run }) => run.id !== id),
  );
  return { lines, shown };
}

/** Shows the progress of the account's runs as a chip in the header of every screen, with a panel of their details. */
export function RunChip({ chipPlace, linePlace, onTold }: Props) {
  const followed = useFollowedRuns((state) => state.followed_runs);
  const panel = useFollowedRuns((state) => state.run_panel);
  const [announcement, announce] = useState('');
  const [isHeld, setHeld] = useState(false);
  const isNarrow = useNarrowScreen();
  const { pathname } = useLocation();
  const button = useRef<HTMLButtonElement>(null);
  const elsewhere = useActElsewhere(panel === 'in' ? 'act' : null, closePanel);
  useOpenRuns();
  useCloseOnNewScreen();

  function closeAndReturn(): void {
    closePanel();
    setHeld(false);
    // The chip is rendered only after the panel has closed.
    setTimeout(() => button.current?.focus({ preventScroll: true }));
  }

  const { lines, shown } = useShown(followed);
  const isInPage = panel === 'in';
  // The chip does not repeat what the panel in the page shows.
  const beyondPanel = isInPage ? leadingFirst(shown).slice(1) : shown;
  // On phones a run's own page shows this already, directly below.
  const onChip = isNarrow ? beyondPanel.filter(({ id }) => pathname !== sendPath(id)) : beyondPanel;
  const list = (
    <PartBoundary waiting={<div />}>
      <RunPanel followed={shown} isInPage={isInPage} onHold={setHeld} />
    </PartBoundary>
  );
  const chip =
    onChip.length === 0 || (isNarrow && isInPage) ? null : (
      <Popover
        title={messages.label}
        className={isNarrow ? styles.line : ''}
        buttonClass={styles.chip}
        buttonRef={button}
        label={<ChipLabel followed={onChip} />}
        isOpen={panel === 'over'}
        onToggle={(opens) => {
          openRunPanel(opens ? 'over' : null);
          setHeld(opens);
        }}
      >
        {list}
      </Popover>
    );
  return (
    <>
      <Announcement text={announcement} />
      {followed.map((run) => (
        <RunFollower
          key={run.id}
          followed={run}
          canBeTakenBack={lines.some((line) => line.run.id === run.id)}
          isHeld={isHeld && panel !== null}
          isInPage={isInPage}
          onTold={onTold}
          onAnnounce={announce}
        />
      ))}
      {chipPlace !== null && !isNarrow ? createPortal(chip, chipPlace) : null}
      {linePlace === null
        ? null
        : createPortal(
            <>
              <PartBoundary>{lines.length === 0 ? null : <UndoLines lines={lines} />}</PartBoundary>
              {isNarrow ? chip : null}
              {isInPage && shown.length > 0 ? (
                <InPage elsewhere={elsewhere} onClose={closeAndReturn}>
                  {list}
                </InPage>
              ) : null}
            </>,
            linePlace,
          )}
    </>
  );
}

/** Announces a text to screen readers, in a region besides those of the toasts. */
function Announcement({ text }: { readonly text: string }) {
  const announced = useAnnounced(text);
  return createPortal(
    <p role="status" className="visually-hidden">
      {announced}
    </p>,
    toastRoot.element,
  );
}

interface InPageProps extends Pick<ComponentProps<'div'>, 'children'> {
  /** Handlers that detect actions outside of the panel. */
  readonly elsewhere: ComponentProps<'div'>;
  readonly onClose: () => void;
}

/** Shows the panel in the page, after a run was started in this tab. */
function InPage({ elsewhere, onClose, children }: InPageProps) {
  return (
    <div className={styles.panel} data-run-panel {...elsewhere}>
      {children}
      <CloseButton name={messages.close} onPress={onClose} />
    </div>
  );
}

/** Closes the panel on another screen too, because a key may have opened it. */
function useCloseOnNewScreen(): void {
  const { pathname } = useLocation();
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current !== pathname) closePanel();
    shown.current = pathname;
  }, [pathname]);
}

/**
 * Follows open runs that were started elsewhere.
 * Requests them at the start, on each new screen and at each focus of the window. It does not poll, so that an unused
 * session can expire.
 */
function useOpenRuns(): void {
  const client = useQueryClient();
  const { pathname } = useLocation();
  const { data, refetch } = useQuery(latestRuns);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each new screen needs a request
  useEffect(() => void refetch(), [pathname, refetch]);

  useEffect(() => {
    const { followed_runs } = useFollowedRuns.getState();
    const found = (data?.rows ?? [])
      .filter(({ id, finished }) => !finished && followed_runs.every((run) => run.id !== id))
      .map(({ id }) => id);
    if (found.length === 0) return;
    followOpenRuns(found);
    reloadLists(client);
  }, [data, client]);
}
