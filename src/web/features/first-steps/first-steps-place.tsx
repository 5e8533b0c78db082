import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, useEffect, useLayoutEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { LIST } from '#web/lib/address/params.ts';
import { PATHS } from '#web/lib/address/paths.ts';
import { useAddress } from '#web/lib/address/use-address.ts';
import { onChange } from '#web/lib/api/call.ts';
import { FIRST_STEPS } from '#web/lib/api/query-keys.ts';
import { useLocation } from '#web/lib/router/use-router.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { keep, readKept } from '#web/lib/session/kept.ts';
import styles from './first-steps-place.module.css';
import {
  type FirstSteps,
  firstSteps,
  isUnderWay,
  rememberFirstSteps,
  STEP_CALLS,
  STEPS,
  type Step,
} from './first-steps-query.ts';

const FirstStepsBar = lazy(() =>
  loadPart(() => import('./first-steps-bar.tsx')).then(({ FirstStepsBar: bar }) => ({ default: bar })),
);

const ASKED_EVERY_MS = 5000;

/** The link that confirms an address is opened in another tab, or on a phone. */
const isAwaited = ({ state }: { readonly state: { readonly data?: FirstSteps | undefined } }): boolean =>
  state.data?.sender?.is_asked === 1 && state.data.steps.sender_confirmed === 0;

/**
 * Reads the facts once a session, after acts that may complete a step, while a mailed link is awaited, and with each
 * focus of the tab: steps are done in other tabs too.
 */
function useFacts() {
  const client = useQueryClient();
  const { data, isLoading, failureCount } = useQuery({
    ...firstSteps,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: ({ state }) => state.data === undefined || isUnderWay(state.data),
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
  return { data, isUnknown: isLoading && failureCount === 0 };
}

/** Returns the step that was completed on the screen that is shown, or null. The last step stays. */
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
  /** Below the header. */
  readonly place: HTMLElement | null;
  readonly onFiles: (files: readonly File[]) => void;
  /** What can be chosen before the first real mail. */
  readonly lastChoice: ReactNode;
}

/**
 * The bar of the first day, on every screen until it is done or put away.
 * It is open above the list of companies, and folded elsewhere and on phones, until the user folds or opens it.
 */
export function FirstStepsPlace({ place, ...offers }: Props) {
  const { data, isUnknown } = useFacts();
  const { pathname } = useLocation();
  const [{ tab }] = useAddress(LIST);
  const done = useJustDone(data, pathname);
  const [folded, setFolded] = useState(isFolded);
  const isNarrow = useNarrowScreen();
  // Until it is known whether there is a bar, the screen below it is hidden: it would move.
  // Not a frame later: on a slow machine the answer may come with the next one.
  useLayoutEffect(() => {
    place?.toggleAttribute('data-awaiting', isUnknown);
    // The session may end before the answer: nothing would show the screen again.
    return () => place?.removeAttribute('data-awaiting');
  }, [place, isUnknown]);
  const isShown = data !== undefined && (isUnderWay(data) || (data.dismissed === 0 && done === 'mail_sent'));
  if (place === null || !isShown) return null;
  const isList = pathname === PATHS.attackList && tab === 'prospects';
  const isOpen = folded === null ? isList && !isNarrow : !folded;
  const fold = (next: boolean) => {
    setFolded(next);
    keep('first-steps', next ? 'folded' : 'open');
  };
  return createPortal(
    <div className={`screen-only ${styles.place}`} data-open={isOpen || undefined}>
      <PartBoundary>
        <FirstStepsBar data={data} justDone={done} isOpen={isOpen} onFold={() => fold(isOpen)} {...offers} />
      </PartBoundary>
    </div>,
    place,
  );
}

/** Returns whether the user has folded the bar or opened it, in this browser; null: neither. */
function isFolded(): boolean | null {
  const kept = readKept('first-steps');
  return kept === null ? null : kept === 'folded';
}
