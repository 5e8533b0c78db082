import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import type { ReactNode } from 'react';
import { Button } from '#web/components/button.tsx';
import { DockedAction } from '#web/components/dialog/docked-action.tsx';
import { Segmented } from '#web/components/field/segmented.tsx';
import { Chip } from '#web/components/inline/chip.tsx';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { type ListSource, updateAttackListSettings } from '../attack-list-state.ts';
import { ATTACK_LIST_MESSAGES } from '../words.ts';
import type { OrderAct } from './order-act.ts';
import styles from './order-line.module.css';
import type { OrderText } from './order-sentence.ts';
import { keyOf, type Leads, Parts } from './parts.tsx';
import { ORDER_MESSAGES } from './words.ts';

interface Props extends Leads {
  readonly text: OrderText;
  readonly isTest: boolean;
  readonly act: OrderAct | null;
  readonly source: ListSource | null;
  /** The targets belong to settings other than those on screen. */
  readonly isOutdated: boolean;
  readonly onEndSource: () => void;
  /** Hides the settings, or shows them again. */
  readonly fold: { readonly id: string; readonly isOpen: boolean; readonly onToggle: () => void };
  /** The fields of the settings. */
  readonly children: ReactNode;
}

const { modes } = ATTACK_LIST_MESSAGES;
const MODES = [
  { value: 'test', label: modes.test },
  { value: 'real', label: modes.real },
] as const;
const setMode = (mode: 'test' | 'real') => updateAttackListSettings({ is_test_mode: mode === 'test' });

/**
 * Passes the focus of the order button to that of the settings, when nobody is left to order for: a change of them
 * brings the button back. React calls this before it removes the button.
 */
const passFocusOn = (button: HTMLElement | null) => () => {
  if (button !== null && button === document.activeElement) {
    button.closest('section')?.querySelector<HTMLElement>('[data-fold]')?.focus({ preventScroll: true });
  }
};

/** Shows the settings, the order button, and a sentence about its effect, whose parts lead to the controls. */
export function OrderLine({ text, isTest, source, isOutdated, fold, ...props }: Props) {
  const may = useMay('sendMail', { groupId: props.senderGroupId });
  const act = may ? props.act : null;
  const leads = { onGo: props.onGo, onOpen: props.onOpen, senderGroupId: props.senderGroupId };
  const sentence = may ? (act?.sentence ?? text.sentence) : [ORDER_MESSAGES.help.notAllowed];
  return (
    <section className={styles.order} aria-label={ORDER_MESSAGES.label}>
      {source === null ? null : <SourceChip source={source} onEnd={props.onEndSource} />}
      <div className={`${styles.line} ${styles.head}`}>
        {may ? (
          <div className={styles.modes} data-test={isTest || undefined}>
            <Segmented label={modes.label} choices={MODES} value={isTest ? 'test' : 'real'} onChange={setMode} />
          </div>
        ) : null}
        {sentence.length === 0 ? null : (
          <p className={styles.sentence} data-outdated={isOutdated || undefined}>
            <Parts of={sentence} {...leads} />
          </p>
        )}
        {act === null ? null : <OrderButton act={act} isTest={isTest} />}
      </div>
      <div className={styles.line}>
        <ul className={styles.notes}>
          {text.notes.map((note) => (
            <li key={note.map(keyOf).join()}>
              <Parts of={note} {...leads} />
            </li>
          ))}
        </ul>
        <Button
          variant="quiet"
          className={styles.fold ?? ''}
          data-fold
          aria-expanded={fold.isOpen}
          aria-controls={fold.id}
          onClick={fold.onToggle}
        >
          {ATTACK_LIST_MESSAGES.settings}
          <IconChevronDown size={16} aria-hidden />
        </Button>
      </div>
      <div id={fold.id} hidden={!fold.isOpen}>
        {props.children}
      </div>
    </section>
  );
}

function OrderButton({ act, isTest }: { readonly act: OrderAct; readonly isTest: boolean }) {
  const { docked } = ORDER_MESSAGES;
  return (
    <DockedAction>
      {act.count === undefined ? null : (
        <strong className={styles.docked} aria-hidden>
          {(isTest ? docked.test : docked.real)(act.count)}
        </strong>
      )}
      <Button ref={passFocusOn} variant={act.isFilled ? 'primary' : 'outline'} busy={act.isBusy} onClick={act.onPress}>
        {act.label}
      </Button>
    </DockedAction>
  );
}

/** Shows what makes the list besides the filters, with a button that removes it. */
function SourceChip({ source, onEnd }: { readonly source: ListSource; readonly onEnd: () => void }) {
  const messages = ATTACK_LIST_MESSAGES;
  return (
    <p className={styles.source} data-source>
      {source.companies === undefined ? (
        <Chip removeName={messages.endStatus} onRemove={onEnd}>
          {messages.status(DATA_MESSAGES.prospects.statuses[source.status])}
        </Chip>
      ) : (
        <>
          <Chip isChosen removeName={messages.endChosen} onRemove={onEnd}>
            {messages.chosen(source.companies.length)}
          </Chip>
          <small>{messages.chosenHelp}</small>
        </>
      )}
    </p>
  );
}
