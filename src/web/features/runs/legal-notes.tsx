import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import { useId } from 'react';
import type { LegalFault } from '#domain/law/profile.ts';
import { InfoNote } from '#web/components/info-note.tsx';
import { asMessage } from '#web/lib/phrases.ts';
import { Link } from '#web/lib/router/link.tsx';
import styles from './legal-notes.module.css';
import { SENDING_MESSAGES } from './words.ts';

const { legal: messages } = SENDING_MESSAGES;

/** Returns the path of the screen where a fault is mended, by its field; null: there is none. */
export type PlaceOf = (field: string) => string | null;

type Place = keyof typeof messages.places;
const isPlace = (room: string): room is Place => Object.hasOwn(messages.places, room);

interface ErrorsProps {
  readonly errors: readonly Pick<LegalFault, 'path' | 'message'>[];
  /** Tests leave all the same. */
  readonly isTest: boolean;
  readonly placeOf: PlaceOf;
}

/** Lists what keeps real mails from leaving, each with a link to its place. */
export function LegalErrors({ errors, isTest, placeOf }: ErrorsProps) {
  if (errors.length === 0) return null;
  return (
    <div className={styles.errors} role="alert" data-test={isTest || undefined}>
      <p>
        <IconAlertTriangle size={16} aria-hidden />
        <strong>{isTest ? messages.testErrors : messages.errors}</strong>
      </p>
      <ul>
        {errors.map(({ path, message }) => {
          const to = placeOf(path);
          const room = path.split('.')[0] ?? '';
          return (
            <li key={`${path} ${message}`}>
              <span>{asMessage(message)}</span>
              {to === null || !isPlace(room) ? null : <Link to={to}>{messages.places[room]}</Link>}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

interface WarningsProps {
  readonly warnings: readonly string[];
  readonly ticked: ReadonlySet<string>;
  readonly onTick: (warning: string, isTicked: boolean) => void;
  /** Ticks are not enough: something else keeps the mails from leaving. */
  readonly isBlocked: boolean;
}

/** Lists what a person must have looked at before the mails leave. */
export function LegalWarnings({ warnings, ticked, onTick, isBlocked }: WarningsProps) {
  const id = useId();
  if (warnings.length === 0) return null;
  return (
    <fieldset className={styles.warnings} aria-describedby={isBlocked ? undefined : id}>
      <legend>{messages.warnings}</legend>
      {warnings.map((warning) => (
        <div key={warning} className={styles.warning}>
          <label>
            <input
              type="checkbox"
              checked={ticked.has(warning)}
              onChange={(event) => onTick(warning, event.target.checked)}
            />
            <span>{asMessage(warning)}</span>
          </label>
          {warning === messages.noOneClick ? <InfoNote about="howToSet">{messages.noOneClickHelp}</InfoNote> : null}
        </div>
      ))}
      {isBlocked ? null : (
        <p id={id} className={styles.help}>
          {messages.tickHelp}
        </p>
      )}
    </fieldset>
  );
}
