import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useLayoutEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { LIST } from '#web/lib/address/params.ts';
import { PATHS } from '#web/lib/address/paths.ts';
import { useAddress } from '#web/lib/address/use-address.ts';
import { onChange } from '#web/lib/api/call.ts';
import { FIRST_STEPS } from '#web/lib/api/query-keys.ts';
import { useLocation } from '#web/lib/router/use-router.ts';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { keep, readKept } from '#web/lib/session/kept.ts';
import type { BarProps } from './first-steps-bar.tsx';
import styles from './first-steps-place.module.css';
import {
  type FirstSteps,
  firstSteps,
  isUnderWay,
  nextStep,
  openList,
  rememberFirstSteps,
  STEP_CALLS,
  STEPS,
  type Step,
  useFirstSight,
  useIsLed,
} from './first-steps-query.ts';

const ASKED_EVERY_MS = 5000;
/** How long the screen waits for the first answer. */
const AWAITED_MS = 3000;

/** Whether a confirmation is expected: its link may be opened in another tab, or on a phone. */
const isAwaited = ({ state }: { readonly state: { readonly data?: FirstSteps | undefined } }): boolean =>
  state.data?.sender?.is_asked === 1 && state.data.steps.sender_confirmed === 0;

/**
 * Fetches the facts once a session, after calls that may complete a step, while a confirmation is expected, and at
 * each focus of the tab: other tabs can complete steps too.
 */
function useFacts(isLed: boolean) {
  const client = useQueryClient();
  const { data, isLoading, failureCount } = useQuery({
    ...firstSteps,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: ({ state }) => isLed && (state.data === undefined || isUnderWay(state.data)),
    refetchInterval: (query) => (isAwaited(query) ? ASKED_EVERY_MS : false),
    refetchOnWindowFocus: 'always',
  });
  useEffect(() => {
    if (data !== undefined) rememberFirstSteps(data);
  }, [data]);
  useEffect(
    () => onChange((name) => STEP_CALLS.has(name) && void client.invalidateQueries({ queryKey: [FIRST_STEPS] })),
    [client],
  );
  const [isOverdue, setOverdue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOverdue(true), AWAITED_MS);
    return () => clearTimeout(timer);
  }, []);
  const hasFailed = failureCount > 0 || isOverdue;
  return { data, isUnknown: isLoading && !hasFailed, isGivenUp: data === undefined && hasFailed };
}

/** Returns the step that was completed on the current screen, or null. The last step is kept. */
function useJustDone(data: FirstSteps | undefined, pathname: string): Step | null {
  const [seen, setSeen] = useState(data);
  const [done, setDone] = useState<{ readonly step: Step; readonly pathname: string } | null>(null);
  if (data !== seen) {
    setSeen(data);
    const areBothShown = data?.dismissed === 0 && seen?.dismissed === 0;
    const step = STEPS.findLast((one) => areBothShown && data.steps[one] === 1 && seen.steps[one] === 0);
    if (step !== undefined) setDone({ step, pathname });
  }
  return done !== null && (done.step === 'mail_sent' || done.pathname === pathname) ? done.step : null;
}

interface Props {
  /** The place below the header. */
  readonly place: HTMLElement | null;
  readonly onFiles: (files: readonly File[]) => void;
  /** Shows the bar, which loads late. */
  readonly renderBar: (bar: Omit<BarProps, 'modes'>) => ReactNode;
}

/**
 * Shows the bar of the first day on every screen until all steps are done or it is hidden.
 * It is unfolded above the list of companies, and folded elsewhere and on phones, until the user changes that.
 */
export function FirstStepsPlace({ place, onFiles, renderBar }: Props) {
  const isLed = useIsLed();
  const { data, isUnknown, isGivenUp } = useFacts(isLed);
  const { pathname } = useLocation();
  // The list is on the screen: an answer that comes now does not replace it under the user's hands.
  useEffect(() => {
    if (isGivenUp && pathname === PATHS.attackList) openList();
  }, [isGivenUp, pathname]);
  const isSight = useFirstSight(data);
  const [{ tab }] = useAddress(LIST);
  const done = useJustDone(data, pathname);
  const [folded, setFolded] = useState(isFolded);
  const isNarrow = useNarrowScreen();
  // Hides the screen until it is known whether the bar is shown, because the bar would move it.
  // Not one frame later: on a slow machine the answer may come with the next frame.
  useLayoutEffect(() => {
    place?.toggleAttribute('data-awaiting', isUnknown);
    // If the session ends before the answer, nothing else would show the screen again.
    return () => place?.removeAttribute('data-awaiting');
  }, [place, isUnknown]);
  const isShown = isLed && data !== undefined && (isUnderWay(data) || (data.dismissed === 0 && done === 'mail_sent'));
  if (place === null || !isShown || isSight) return null;
  const isList = pathname === PATHS.attackList && tab === 'prospects';
  const isAttackTab = pathname === PATHS.attackList && tab === 'attack-list';
  const isOpen = folded === null ? isList && !isNarrow : !folded;
  const fold = (next: boolean) => {
    setFolded(next);
    keep('first-steps', next ? 'folded' : 'open');
  };
  return createPortal(
    <div
      className={`screen-only ${styles.place}`}
      data-open={isOpen || undefined}
      data-last={(isAttackTab && nextStep(data) === 'mail_sent') || undefined}
    >
      <PartBoundary>
        {renderBar({ data, justDone: done, isAttackTab, isOpen, onFold: () => fold(isOpen), onFiles })}
      </PartBoundary>
    </div>,
    place,
  );
}

/** Returns whether the user has folded or unfolded the bar in this browser; null: neither. */
function isFolded(): boolean | null {
  const kept = readKept('first-steps');
  return kept === null ? null : kept === 'folded';
}
