import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import type { BulkAct } from '#contract/companies/companies-bulk.ts';
import { Button } from '#web/components/button.tsx';
import { Menu } from '#web/components/dialog/menu.tsx';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { May, useMay } from '#web/lib/session/use-may.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './bulk-bar.module.css';
import { pageSelection, selectAll, selectPage, useSelection } from './selection-state.ts';
import { BULK_MESSAGES } from './words.ts';

const DOTS = (
  <>
    <IconDots size={18} aria-hidden />
    <span className="visually-hidden">{COMMON_MESSAGES.actions.more}</span>
  </>
);

/** Acts on what a sender group stores about companies. */
const OF_GROUP = ['activate', 'deactivate', 'append_remarks'] as const;

interface Props {
  /** The number of all matching companies. */
  readonly total: number;
  /** Whether the list shows archived companies, whose only action is to restore them. */
  readonly isArchived: boolean;
  readonly groupId: number;
  /** Opens the attack list with the chosen companies. */
  readonly onAttackList: () => void;
  readonly onAct: (act: BulkAct) => void;
  readonly onExport: () => void;
  readonly onClear: () => void;
}

/**
 * Replaces the toolbar while companies are chosen: shows their number, and the actions on them. On phones all but the
 * first are in the menu ⋯.
 */
export default function BulkBar({ total, isArchived, groupId, onAttackList, onAct, onExport, onClear }: Props) {
  const chosen = useSelection(({ ids, isAll }) => (isAll ? total : ids.size));
  const isAll = useSelection((selection) => selection.isAll);
  const ofPage = useSelection(pageSelection);
  const onPage = useSelection(({ page }) => page.length);
  const isNarrow = useNarrowScreen();
  const act = (name: BulkAct) => ({ name: BULK_MESSAGES.acts[name], perform: () => onAct(name) });
  const isOfGroup = useMay('changeProspects', { groupId });
  const exported = useMay('startExport') ? [{ name: COMMON_MESSAGES.actions.export, perform: onExport }] : [];
  const acts = isArchived
    ? [act('restore'), ...exported]
    : [...(isOfGroup ? OF_GROUP.map(act) : []), act('label'), act('suppress'), ...exported, act('archive')];
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
          <May call="sendMail" groupId={groupId}>
            <Button variant="outline" onClick={onAttackList}>
              {BULK_MESSAGES.send(chosen)}
            </Button>
          </May>
        )}
        {isNarrow && !isArchived ? (
          <Menu variant="default" label={DOTS}>
            {acts.map(({ name, perform }) => (
              <button key={name} type="button" aria-haspopup="dialog" onClick={perform}>
                {name}
              </button>
            ))}
          </Menu>
        ) : (
          acts.map(({ name, perform }) => (
            <Button key={name} aria-haspopup="dialog" onClick={perform}>
              {name}
            </Button>
          ))
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
