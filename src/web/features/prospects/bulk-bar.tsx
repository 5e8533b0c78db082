import type { BulkAct } from '#contract/companies/companies-bulk.ts';
import { Button } from '#web/components/button.tsx';
import styles from './bulk-bar.module.css';
import { pageSelection, selectAll, selectPage, useSelection } from './selection-state.ts';
import { BULK_MESSAGES } from './words.ts';

const ACTS = ['activate', 'deactivate', 'append_remarks', 'suppress'] as const;

interface Props {
  /** The number of all matching companies. */
  readonly total: number;
  /** Whether the list shows archived companies, whose only action is to restore them. */
  readonly isArchived: boolean;
  /** Opens the attack list with the chosen companies. */
  readonly onAttackList: () => void;
  readonly onAct: (act: BulkAct) => void;
  readonly onExport: () => void;
  readonly onClear: () => void;
}

/** Replaces the toolbar while companies are chosen: shows their number, and the actions on them. */
export function BulkBar({ total, isArchived, onAttackList, onAct, onExport, onClear }: Props) {
  const chosen = useSelection(({ ids, isAll }) => (isAll ? total : ids.size));
  const isAll = useSelection((selection) => selection.isAll);
  const ofPage = useSelection(pageSelection);
  const onPage = useSelection(({ page }) => page.length);
  const acts: readonly BulkAct[] = isArchived ? ['restore'] : ACTS;
  return (
    <fieldset className={styles.bar} aria-label={BULK_MESSAGES.bar}>
      <strong className={styles.count} role="status">
        {BULK_MESSAGES.selected(chosen)}
      </strong>
      <Button variant="quiet" onClick={onClear}>
        {BULK_MESSAGES.clear}
      </Button>
      <div className={styles.acts}>
        {isArchived ? null : (
          <Button variant="outline" onClick={onAttackList}>
            {BULK_MESSAGES.attackList(chosen)}
          </Button>
        )}
        {acts.map((act) => (
          <Button key={act} aria-haspopup="dialog" onClick={() => onAct(act)}>
            {BULK_MESSAGES.acts[act]}
          </Button>
        ))}
        <Button aria-haspopup="dialog" onClick={onExport}>
          {BULK_MESSAGES.export}
        </Button>
        {isArchived ? null : (
          <Button aria-haspopup="dialog" onClick={() => onAct('archive')}>
            {BULK_MESSAGES.acts.archive}
          </Button>
        )}
      </div>
      {ofPage === 'all' && !isAll && total > onPage ? (
        <Button variant="quiet" onClick={selectAll}>
          {BULK_MESSAGES.selectAll(total)}
        </Button>
      ) : null}
      {ofPage === 'some' ? (
        <Button variant="quiet" className="only-phone" onClick={() => selectPage(true)}>
          {BULK_MESSAGES.selectPage}
        </Button>
      ) : null}
    </fieldset>
  );
}
