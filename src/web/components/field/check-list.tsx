import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconCircleX from '@tabler/icons-react/dist/esm/icons/IconCircleX.mjs';
import IconHourglass from '@tabler/icons-react/dist/esm/icons/IconHourglass.mjs';
import IconInfoCircle from '@tabler/icons-react/dist/esm/icons/IconInfoCircle.mjs';
import { useId } from 'react';
import type { Acknowledgement } from '#domain/law/acknowledgement.ts';
import { Link } from '#web/lib/router/link.tsx';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { Button } from '../button.tsx';
import { InfoNote } from '../inline/info-note.tsx';
import styles from './check-list.module.css';

const ICONS = {
  fine: IconCheck,
  waiting: IconHourglass,
  warning: IconAlertTriangle,
  bad: IconCircleX,
  note: IconInfoCircle,
};

/** A confirmation that the user ticks before mails are sent. */
interface Ask {
  /** The rule's name in the audit record. */
  readonly rule: Acknowledgement;
  /** Identifies what was ticked: another key asks again. */
  readonly key: string;
  /** After an accepted order the session does not ask for it again. */
  readonly isOnce?: boolean;
  /** The text is the statement to tick. */
  readonly isStatement?: boolean;
  /** What the tick permits, in place of the list's label. */
  readonly label?: string;
}

/** The result of a check before sending, with its remedy. */
export interface Check {
  readonly kind: keyof typeof ICONS;
  readonly text: string;
  /** A detail that few users need, behind a mark (ⓘ). */
  readonly note?: string;
  /** Links to the screen that fixes the problem. */
  readonly link?: { readonly to: string; readonly text: string };
  /** Companies whose mails show the problem. */
  readonly prospectIds?: readonly number[];
  readonly ask?: Ask | undefined;
}

interface Props {
  readonly label: string;
  readonly checks: readonly Check[];
  /** Shows mails of these companies. */
  readonly onShow?: (prospectIds: readonly number[]) => void;
  /** The boxes of the confirmations. */
  readonly ticks?: {
    readonly label: string;
    readonly isTicked: (key: string) => boolean;
    readonly onTick: (key: string, isTicked: boolean) => void;
  };
}

/** Lists the results of the checks: those that passed side by side, then one line for each warning, then the notes. */
export function CheckList({ label, checks, onShow, ticks }: Props) {
  const byKey = new Map(checks.map((check) => [check.ask?.key ?? check.text, check]));
  const isQuiet = ([, { kind }]: readonly [string, Check]) => kind === 'fine' || kind === 'waiting';
  const isNote = ([, { kind }]: readonly [string, Check]) => kind === 'note';
  const lines = [...byKey];
  const loud = lines.filter((line) => !isQuiet(line) && !isNote(line));
  return (
    <ul className={styles.checks} aria-label={label} aria-live="polite">
      {[...lines.filter(isQuiet), ...loud, ...lines.filter(isNote)].map(([key, check]) => (
        <CheckLine key={key} check={check} onShow={onShow} ticks={ticks} />
      ))}
    </ul>
  );
}

interface LineProps {
  readonly check: Check;
  readonly onShow: Props['onShow'] | undefined;
  readonly ticks: Props['ticks'] | undefined;
}

function CheckLine({ check: { kind, text, note, link, prospectIds = [], ask }, onShow, ticks }: LineProps) {
  const id = useId();
  const Icon = ICONS[kind];
  const isStatement = ask?.isStatement === true && ticks !== undefined;
  const info = note === undefined ? null : <InfoNote about="howToSet">{note}</InfoNote>;
  return (
    <li data-kind={kind}>
      {isStatement ? null : (
        <>
          <Icon size={16} aria-hidden />
          <span id={id} className={styles.text}>
            {text}
            {info}
          </span>
        </>
      )}
      {link === undefined ? null : <Link to={link.to}>{link.text}</Link>}
      {prospectIds.length === 0 || onShow === undefined ? null : (
        <Button variant="quiet" aria-describedby={id} onClick={() => onShow(prospectIds)}>
          {COMMON_MESSAGES.actions.see}
        </Button>
      )}
      {ask === undefined || ticks === undefined ? null : (
        <span className={styles.gate}>
          <label className={styles.tick}>
            <input
              type="checkbox"
              aria-describedby={isStatement ? undefined : id}
              checked={ticks.isTicked(ask.key)}
              onChange={(event) => ticks.onTick(ask.key, event.target.checked)}
            />
            {isStatement ? text : (ask.label ?? ticks.label)}
          </label>
          {isStatement ? info : null}
        </span>
      )}
    </li>
  );
}
