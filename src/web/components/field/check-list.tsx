import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconCircleX from '@tabler/icons-react/dist/esm/icons/IconCircleX.mjs';
import IconHourglass from '@tabler/icons-react/dist/esm/icons/IconHourglass.mjs';
import { useId } from 'react';
import type { Acknowledgement } from '#domain/law/acknowledgement.ts';
import { Link } from '#web/lib/router/link.tsx';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { Button } from '../button.tsx';
import { InfoNote } from '../inline/info-note.tsx';
import styles from './check-list.module.css';

const ICONS = { fine: IconCheck, waiting: IconHourglass, warning: IconAlertTriangle, bad: IconCircleX };

/** What a person ticks before mails leave. */
interface Ask {
  /** As the record names it. */
  readonly rule: Acknowledgement;
  /** Names what was ticked: another key is another question. */
  readonly key: string;
  /** Once its order was accepted, the same is not asked again in this session. */
  readonly isOnce?: boolean;
  /** The text is the statement that is ticked. */
  readonly isStatement?: boolean;
  /** What the tick allows, in place of the list's label. */
  readonly label?: string;
}

/** The result of a check before sending, with its way out. */
export interface Check {
  readonly kind: keyof typeof ICONS;
  readonly text: string;
  /** What few need, behind a mark. */
  readonly note?: string;
  /** Leads to where it is mended. */
  readonly link?: { readonly to: string; readonly text: string };
  /** Companies whose mails show it. */
  readonly prospectIds?: readonly number[];
  readonly ask?: Ask | undefined;
}

interface Props {
  readonly label: string;
  readonly checks: readonly Check[];
  /** Shows mails of these companies. */
  readonly onShow?: (prospectIds: readonly number[]) => void;
  /** The boxes of what is asked. */
  readonly ticks?: {
    readonly label: string;
    readonly isTicked: (key: string) => boolean;
    readonly onTick: (key: string, isTicked: boolean) => void;
  };
}

/** Lists what was checked, each once: what is right side by side, then a line for each doubt. */
export function CheckList({ label, checks, onShow, ticks }: Props) {
  const byKey = new Map(checks.map((check) => [check.ask?.key ?? check.text, check]));
  const isQuiet = ([, { kind }]: readonly [string, Check]) => kind === 'fine' || kind === 'waiting';
  const lines = [...byKey];
  return (
    <ul className={styles.checks} aria-label={label} aria-live="polite">
      {[...lines.filter(isQuiet), ...lines.filter((line) => !isQuiet(line))].map(([key, check]) => (
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
