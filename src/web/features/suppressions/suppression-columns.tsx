import IconBan from '@tabler/icons-react/dist/esm/icons/IconBan.mjs';
import IconHandStop from '@tabler/icons-react/dist/esm/icons/IconHandStop.mjs';
import IconMailOff from '@tabler/icons-react/dist/esm/icons/IconMailOff.mjs';
import { Button } from '#web/components/button.tsx';
import type { Column } from '#web/components/data-table/column.ts';
import { InfoNote } from '#web/components/inline/info-note.tsx';
import { StatusBadge, type StatusLook } from '#web/components/inline/status-badge.tsx';
import { sendPath } from '#web/lib/address/params.ts';
import { prospectPath } from '#web/lib/address/paths.ts';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { Link } from '#web/lib/router/link.tsx';
import { listTime } from '#web/lib/screen-time.ts';
import { SUPPRESSION_LIFT_MESSAGES as lifting } from './lift/words.ts';
import type { Suppression } from './suppression-query.ts';
import styles from './suppressions.module.css';
import { SUPPRESSION_MESSAGES as messages } from './words.ts';

const { columns: header } = messages;

const LOOKS: Readonly<Record<Suppression['class'], StatusLook>> = {
  refused: { tone: 'red', Icon: IconHandStop },
  undeliverable: { tone: 'amber', Icon: IconMailOff },
  blocked: { tone: 'neutral', Icon: IconBan },
};

/** Returns the address, or the domain with its @. */
export const shownValue = ({ kind, value }: Pick<Suppression, 'kind' | 'value'>): string =>
  kind === 'domain' ? messages.domain(value) : value;

/** Matches a reason of the program, which states the cause in Japanese; a server's begins with its code. */
const OWN_REASON = /^(?!\d{3}[ -]).*\p{Script=Hiragana}/u;

/** Returns why no mail arrives at an address; '' where a server's answer is about something else. */
function causeOf(type: Suppression['class'], reason: string): string {
  if (OWN_REASON.test(reason)) return reason;
  return type === 'undeliverable' && reason !== '' ? messages.unknownAddress : '';
}

/** Returns a suppression's details: a member's note, the recipient's choice or why no mail arrives. */
const noteOf = ({ note, opt_out_reason, class: type, reason }: Suppression): string =>
  [note, opt_out_reason === null ? '' : messages.optOutReasons[opt_out_reason], causeOf(type, reason)]
    .filter((text) => text !== '')
    .join(LIST_SEPARATOR);

interface Parts {
  readonly onLift: (row: Suppression) => void;
}

/** All columns fit into 975 px, the table's width at 1024 px. */
export const suppressionColumns = ({ onLift }: Parts): readonly Column<Suppression>[] => [
  { id: 'value', header: header.value, width: 165, isRowHeader: true, render: shownValue },
  {
    id: 'companies',
    header: header.companies,
    width: 120,
    render: (row) => <Companies row={row} />,
  },
  {
    id: 'class',
    header: header.class,
    width: 118,
    render: (row) => <StatusBadge look={LOOKS[row.class]} word={messages.classes[row.class]} />,
  },
  {
    id: 'source',
    header: header.source,
    width: 118,
    render: ({ source, send_log_id }) =>
      send_log_id === null ? (
        messages.sources[source]
      ) : (
        <Link to={sendPath(send_log_id)}>{messages.sources[source]}</Link>
      ),
  },
  { id: 'created_at', header: header.created_at, width: 124, render: ({ created_at }) => listTime(created_at) },
  {
    id: 'created_by',
    header: header.created_by,
    width: 70,
    render: ({ created_by }) => created_by ?? messages.automatic,
  },
  { id: 'note', header: header.note, width: 114, render: (row) => <Note row={row} /> },
  {
    id: 'act',
    header: header.act,
    width: 146,
    render: (row) => {
      const isRefused = row.class === 'refused';
      const name = shownValue(row);
      return (
        <Button
          variant="quiet"
          className={styles.lift}
          aria-label={isRefused ? lifting.liftRefusedOf(name) : lifting.liftOf(name)}
          onClick={() => onLift(row)}
        >
          {isRefused ? lifting.liftRefused : lifting.lift}
        </Button>
      );
    },
  },
];

/** The note, with the server's own words behind a mark. */
function Note({ row }: { readonly row: Suppression }) {
  const text = noteOf(row);
  if (row.reason === '' || row.reason === text) return text;
  return (
    <div className={styles.note}>
      <span className="cut" title={text}>
        {text}
      </span>
      <InfoNote about="serverReply">{row.reason}</InfoNote>
    </div>
  );
}

function Companies({ row }: { readonly row: Suppression }) {
  const { companies, companies_total } = row;
  const others = companies_total - companies.length;
  if (companies.length === 0) return messages.noCompany;
  return (
    <span title={companies.map(({ company_name }) => company_name).join(LIST_SEPARATOR)}>
      {companies.map(({ id, company_name }, index) => (
        <span key={id}>
          {index === 0 ? null : LIST_SEPARATOR}
          <Link to={prospectPath(id)}>{company_name}</Link>
        </span>
      ))}
      {others > 0 ? LIST_SEPARATOR + messages.moreCompanies(others) : null}
    </span>
  );
}
