import { lazy } from 'react';
import { Button } from '#web/components/button.tsx';
import { Matches, useTotalOfList } from '#web/components/inline/matches.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import styles from './attack-list-panel.module.css';
import type { CompanyParts } from './left-out/left-out-dialog.tsx';
import { type CountedGroup, type LeftOutGroup, largestGroups, leftOutGroups } from './left-out/left-out-groups.ts';
import type { Targets } from './use-targets.ts';
import { ATTACK_LIST_MESSAGES } from './words.ts';

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
function Summary({ targets, over, onOpen }: Pick<Props, 'targets' | 'onOpen'> & { readonly over: number }) {
  const messages = ATTACK_LIST_MESSAGES;
  const { preview } = targets;
  if (preview === undefined) return <div className={styles.summary} />;
  const groups = leftOutGroups(targets);
  // The empty list below names its reasons itself.
  if (preview.eligible === 0) {
    const { others } = largestGroups(groups);
    return (
      <div className={styles.summary}>
        {others.length === 0 ? null : <span>{messages.otherReasons}</span>}
        <Reasons groups={others} onOpen={onOpen} />
      </div>
    );
  }
  // A company over the domain limit may be mailed; only this list leaves it out.
  const ofList = { group: 'domain_limit' as const, name: DATA_MESSAGES.leftOut.reasons.domain_limit, count: over };
  return (
    <div className={styles.summary}>
      <strong>{messages.eligible(preview.eligible)}</strong>
      <span>{messages.leftOut(groups.reduce((sum, { count }) => sum + count, 0))}</span>
      <Reasons groups={over === 0 ? groups : [...groups, ofList]} onOpen={onOpen} />
    </div>
  );
}

function Reasons({
  groups,
  onOpen,
}: Pick<Props, 'onOpen'> & { readonly groups: readonly CountedGroup<LeftOutGroup>[] }) {
  if (groups.length === 0) return null;
  return (
    <ul className={`row ${styles.reasons}`}>
      {groups.map(({ group, name, count }) => (
        <li key={group}>
          <button type="button" aria-haspopup="dialog" onClick={() => onOpen(group)}>
            {DATA_MESSAGES.leftOut.reason(name, count)}
          </button>
        </li>
      ))}
    </ul>
  );
}
