import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconBan from '@tabler/icons-react/dist/esm/icons/IconBan.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconInfoCircle from '@tabler/icons-react/dist/esm/icons/IconInfoCircle.mjs';
import IconPlayerPause from '@tabler/icons-react/dist/esm/icons/IconPlayerPause.mjs';
import { useQueries } from '@tanstack/react-query';
import type { Run } from '#contract/sending/runs.ts';
import { isNarrowScreen, useMedia } from '#web/lib/screen/narrow-screen.ts';
import { knownRun } from '../known-run.ts';
import { type RunEnd, useRunEnd } from '../run/run-end.ts';
import { decidedMails, isSending, putOffText, runTitle } from '../run/run-state.ts';
import { RUN_CHIP_MESSAGES as messages } from '../words.ts';
import type { FollowedRun } from './followed-runs-state.ts';
import styles from './run-chip.module.css';

const END_ICONS = { done: IconCheck, failed: IconAlertTriangle, stopped: IconBan, ended: IconInfoCircle } as const;

/** Shows the outcome of a run as an icon; a title names it. */
export function EndIcon({ kind }: Pick<RunEnd, 'kind'>) {
  const Icon = END_ICONS[kind];
  return <Icon size={18} aria-hidden data-end={kind} />;
}

/** Shows a ring whose drawn share is that of mails with an outcome. */
function Ring({ share }: { readonly share: number }) {
  return (
    <svg className={styles.ring} viewBox="0 0 20 20" aria-hidden>
      <circle cx={10} cy={10} r={8} />
      <circle cx={10} cy={10} r={8} pathLength={1} strokeDasharray={`${share} 1`} transform="rotate(-90 10 10)" />
    </svg>
  );
}

const shareOf = (runs: readonly Run[]): number => {
  const sum = (mails: (run: Run) => number) => runs.reduce((total, run) => total + mails(run), 0);
  return (
    sum(decidedMails) /
    Math.max(
      1,
      sum(({ targets }) => targets),
    )
  );
};

/** Shows the content of the chip: the progress of the only run, or the number of runs. */
export function ChipLabel({ followed }: { readonly followed: readonly FollowedRun[] }) {
  const known = useQueries({
    queries: followed.map(({ id }) => knownRun(id)),
    combine: (answers) => answers.flatMap(({ data }) => data ?? []),
  });
  if (followed.length === 1) return <OneRun run={known[0]} />;
  const hasEnded = followed.every((run) => run.hasEnded);
  return (
    <>
      {hasEnded ? <EndIcon kind="ended" /> : <Ring share={shareOf(known)} />}
      <span className={styles.count}>{messages.several(followed.length)}</span>
    </>
  );
}

/** Where the navigation needs the room in the header's line (run-chip.module.css). */
const CROWDED = '(width <= 1350px)';

function OneRun({ run }: { readonly run: Run | undefined }) {
  const end = useRunEnd(run);
  const isCrowded = useMedia(CROWDED) && !isNarrowScreen();
  const isTold = end === null || end.kind === 'done' || end.kind === 'failed';
  const isOpen = run !== undefined && !run.finished;
  const isShort = isOpen || (run !== undefined && isTold && isCrowded);
  return (
    <>
      {end === null ? <OpenIcon run={run} /> : <EndIcon kind={end.kind} />}
      <span className={isShort ? 'visually-hidden' : styles.count}>{runTitle(run)}</span>
      {isShort ? <span className={styles.count}>{messages.progress(decidedMails(run), run.targets)}</span> : null}
      <span className={styles.subject}>{(isOpen && putOffText(run)) || run?.subject}</span>
    </>
  );
}

function OpenIcon({ run }: { readonly run: Run | undefined }) {
  const waits = run !== undefined && !run.finished && !isSending(run);
  return waits ? <IconPlayerPause size={18} aria-hidden /> : <Ring share={run === undefined ? 0 : shareOf([run])} />;
}
