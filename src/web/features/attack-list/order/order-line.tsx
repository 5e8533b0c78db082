import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import type { ReactNode } from 'react';
import { Button } from '#web/components/button.tsx';
import { DockedAction } from '#web/components/dialog/docked-action.tsx';
import { Chip } from '#web/components/inline/chip.tsx';
import { legalPath } from '#web/lib/address/params.ts';
import { PATHS } from '#web/lib/address/paths.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { Link } from '#web/lib/router/link.tsx';
import type { ListSource } from '../attack-list-state.ts';
import { ATTACK_LIST_MESSAGES } from '../words.ts';
import styles from './order-line.module.css';
import type { OrderText, Part, Place } from './order-sentence.ts';
import { ORDER_MESSAGES } from './words.ts';

interface Props {
  readonly text: OrderText;
  readonly isTest: boolean;
  /** The targets that get mail; undefined: not known yet. */
  readonly ticked: number | undefined;
  readonly source: ListSource | null;
  readonly senderGroupId: number;
  /** The targets belong to settings other than those on screen. */
  readonly isOutdated: boolean;
  readonly onGo: (place: Place) => void;
  readonly onEndSource: () => void;
  readonly onOrder: () => void;
  /** Hides the settings, or shows them again. */
  readonly fold: { readonly id: string; readonly isOpen: boolean; readonly onToggle: () => void };
  /** The fields of the settings. */
  readonly children: ReactNode;
}

/** Shows the settings, the order button, and a sentence about its effect, whose parts lead to the controls. */
export function OrderLine({ text, isTest, ticked, source, isOutdated, onOrder, fold, ...props }: Props) {
  const leads = { onGo: props.onGo, senderGroupId: props.senderGroupId };
  const { docked } = ORDER_MESSAGES;
  return (
    <section className={styles.order} aria-label={ORDER_MESSAGES.label}>
      {source === null ? null : <SourceChip source={source} onEnd={props.onEndSource} />}
      <div className={styles.line}>
        <p className={styles.sentence} data-outdated={isOutdated || undefined}>
          <Parts of={text.sentence} {...leads} />
        </p>
        <DockedAction>
          <strong className={styles.docked} aria-hidden>
            {ticked === undefined ? null : (isTest ? docked.test : docked.real)(ticked)}
          </strong>
          <Button variant="primary" busy={isOutdated} onClick={onOrder}>
            {text.button}
          </Button>
        </DockedAction>
      </div>
      <div className={styles.line}>
        <ul className={styles.notes}>
          {text.notes.map((note) => (
            <li key={note.map((part) => (typeof part === 'string' ? part : part.to)).join()}>
              <Parts of={note} {...leads} />
            </li>
          ))}
        </ul>
        <Button
          variant="quiet"
          className={styles.fold ?? ''}
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

type Leads = Pick<Props, 'onGo' | 'senderGroupId'>;

/** Shows the parts of a sentence: a link where another screen has the remedy, a button where this one has. */
function Parts({ of, onGo, senderGroupId }: Leads & { readonly of: readonly Part[] }) {
  return of.map((part) => {
    if (typeof part === 'string') return part;
    const { text, to } = part;
    const path = to === 'legal' ? legalPath(senderGroupId) : to === 'confirmation' ? PATHS.settingsGroups : null;
    return path === null ? (
      <button key={`${to} ${text}`} type="button" title={text} data-to={to} onClick={() => onGo(to)}>
        {text}
      </button>
    ) : (
      <Link key={to} to={path}>
        {text}
      </Link>
    );
  });
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
