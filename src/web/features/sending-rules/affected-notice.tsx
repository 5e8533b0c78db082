import { Notice } from '#web/components/state/notice.tsx';
import { reservationsPath } from '#web/lib/address/params.ts';
import { PATHS } from '#web/lib/address/paths.ts';
import type { AnswerOf } from '#web/lib/api/call.ts';
import { withNote } from '#web/lib/phrases.ts';
import { Link } from '#web/lib/router/link.tsx';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { AFFECTED_MESSAGES as messages } from './words.ts';

/** The reservations that a change of hours or closing days affects. */
export type Affected = Pick<AnswerOf<'updateSendingRules'>, 'affected' | 'affected_count' | 'unchecked'>;

/** The number of reservations shown; the others are folded. */
const SHOWN = 3;

/** Names the reservations that a change affects, with links. They keep their times until somebody moves them. */
export function AffectedNotice({ change }: { readonly change: Affected | null }) {
  if (change === null || !(change.affected_count > 0 || change.unchecked > 0)) return null;
  const { affected, affected_count, unchecked } = change;
  const folded = affected.slice(SHOWN);
  const unnamed = affected_count - affected.length;
  return (
    <Notice tone="warning" role="status" act={<Link to={PATHS.reservations}>{messages.seeReservations}</Link>}>
      <p>
        <strong>{affected_count > 0 ? messages.title(affected_count) : messages.uncheckedAlone(unchecked)}</strong>
      </p>
      <p>{messages.keptHelp}</p>
      <Times label={messages.times} rows={affected.slice(0, SHOWN)} />
      {folded.length === 0 ? null : (
        <details>
          <summary>{messages.folded(folded.length)}</summary>
          <Times label={messages.foldedTimes} rows={folded} />
        </details>
      )}
      {unnamed === 0 ? null : <p>{messages.unnamed(unnamed)}</p>}
      {unchecked === 0 || affected_count === 0 ? null : <p>{messages.unchecked(unchecked)}</p>}
    </Notice>
  );
}

interface TimesProps {
  readonly label: string;
  readonly rows: Affected['affected'];
}

const Times = ({ label, rows }: TimesProps) => (
  <ul aria-label={label}>
    {rows.map(({ reservation_id, send_at, reason }) => (
      <li key={reservation_id}>
        {withNote(sentenceTime(send_at), reason)}{' '}
        <Link to={reservationsPath({}, reservation_id)} aria-label={messages.moveOf(sentenceTime(send_at))}>
          {messages.move}
        </Link>
      </li>
    ))}
  </ul>
);
