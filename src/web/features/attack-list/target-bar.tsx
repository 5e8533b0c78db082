import { lazy } from 'react';
import { LEFT_OUT_REASONS, type LeftOutReason } from '#domain/sending/eligibility.ts';
import { Button } from '#web/components/button.tsx';
import { Matches, useTotalOfList } from '#web/components/inline/matches.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import styles from './attack-list-panel.module.css';
import type { CompanyParts } from './left-out/left-out-dialog.tsx';
import type { Targets } from './use-targets.ts';
import { ATTACK_LIST_MESSAGES } from './words.ts';

/**
 * Groups of companies that are not targets. `missing`: chosen ones without a list. `domain_limit`: listed ones that
 * the order leaves out.
 */
export type LeftOutGroup = LeftOutReason | 'missing' | 'domain_limit';

interface Props {
  readonly targets: Targets;
  readonly parts: CompanyParts;
  /** The reason whose companies are listed now. */
  readonly opened: LeftOutGroup | null;
  readonly onOpen: (reason: LeftOutGroup | null) => void;
  readonly onCheck: () => void;
}

/** Shows how many companies get mail, the reasons for the others, and the button that previews the mails. */
export function TargetBar({ targets, parts, opened, onOpen, onCheck }: Props) {
  const { preview, source, hasFailed, isOutdated, leftOutSettings } = targets;
  useTotalOfList(preview?.matched, isOutdated);
  const over = targets.rows?.filter(({ left }) => left === 'domain_limit') ?? [];
  return (
    <div className={styles.bar}>
      <Matches total={preview?.matched} failed={hasFailed} />
      <Summary targets={targets} over={over.length} onOpen={onOpen} />
      <Button busy={isOutdated} onClick={onCheck}>
        {ATTACK_LIST_MESSAGES.checkMails}
      </Button>
      {opened === null ? null : (
        <PartBoundary>
          <LeftOutDialog
            reason={opened}
            settings={leftOutSettings}
            chosen={source?.companies ?? []}
            listed={preview?.rows ?? []}
            over={over}
            counts={preview?.left_out ?? {}}
            parts={parts}
            onClose={() => onOpen(null)}
          />
        </PartBoundary>
      )}
    </div>
  );
}

const LeftOutDialog = lazy(() => loadPart(() => import('./left-out/left-out-dialog.tsx')));

/** Shows how many matching prospects get mail, and why the others do not. Each reason opens its companies. */
function Summary({
  targets: { preview, source, isOutdated },
  over,
  onOpen,
}: Pick<Props, 'targets' | 'onOpen'> & { readonly over: number }) {
  const messages = ATTACK_LIST_MESSAGES;
  const { reason: withCount, reasons } = DATA_MESSAGES.leftOut;
  if (preview === undefined) return <div className={styles.summary} />;
  const known = LEFT_OUT_REASONS.map((reason) => ({
    reason,
    name: reasons[reason],
    count: preview.left_out[reason] ?? 0,
  }));
  const missing = source?.companies === undefined || isOutdated ? 0 : source.companies.length - preview.matched;
  const groups = [...known, { reason: 'missing' as const, name: messages.missing, count: missing }].filter(
    ({ count }) => count > 0,
  );
  // A company over the domain limit may be mailed; only this list leaves it out.
  const ofList = { reason: 'domain_limit' as const, name: reasons.domain_limit, count: over };
  const named = over === 0 ? groups : [...groups, ofList];
  return (
    <div className={styles.summary}>
      <strong>{messages.eligible(preview.eligible)}</strong>
      <span>{messages.leftOut(groups.reduce((sum, { count }) => sum + count, 0))}</span>
      {named.length === 0 ? null : (
        <ul className={`row ${styles.reasons}`}>
          {named.map(({ reason, name, count }) => (
            <li key={reason}>
              <button type="button" aria-haspopup="dialog" onClick={() => onOpen(reason)}>
                {withCount(name, count)}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
