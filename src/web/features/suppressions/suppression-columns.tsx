import IconBan from '@tabler/icons-react/dist/esm/icons/IconBan.mjs';
import IconHandStop from '@tabler/icons-react/dist/esm/icons/IconHandStop.mjs';
import IconMailOff from '@tabler/icons-react/dist/esm/icons/IconMailOff.mjs';
import { Button } from '#web/components/button.tsx';
import type { Column } from '#web/components/data-table/column.ts';
import { BADGE_EDGES, textColumn } from '#web/components/data-table/text-column.ts';
import { InfoPopover } from '#web/components/inline/info-popover.tsx';
import { StatusBadge, type StatusLook } from '#web/components/inline/status-badge.tsx';
import { sendPath } from '#web/lib/address/params.ts';
import { prospectPath } from '#web/lib/address/paths.ts';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { Link } from '#web/lib/router/link.tsx';
import { listTime } from '#web/lib/screen-time.ts';
import { SUPPRESSION_LIFT_MESSAGES as lifting } from './lift/words.ts';
import type { Suppression } from './suppression-query.ts';
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

const liftOf = (row: Suppression): string => (row.class === 'refused' ? lifting.liftRefused : lifting.lift);

const namesOf = ({ companies }: Suppression): string =>
  companies.map(({ company_name }) => company_name).join(LIST_SEPARATOR);

const Class = ({ of }: { readonly of: Suppression['class'] }) => (
  <StatusBadge look={LOOKS[of]} word={messages.classes[of]} />
);

/** The second line of a phone's card; a tap shows the other cells. */
const CARD_LINE: Column<Suppression> = {
  id: 'card_line',
  header: '',
  width: 0,
  onCard: 'line',
  foldName: (row) => messages.otherFieldsOf(shownValue(row)),
  render: (row) => (
    <span className="stack-tight">
      <span className="line">
        <Class of={row.class} />
        {listTime(row.created_at)}
      </span>
      <span className="cut">
        <Note row={row} />
      </span>
    </span>
  ),
};

interface Parts {
  /** Absent: the member may lift none. */
  readonly onLift: ((row: Suppression) => void) | undefined;
}

export const suppressionColumns = ({ onLift }: Parts): readonly Column<Suppression>[] => [
  textColumn('value', header.value, shownValue, {
    width: 140,
    most: 360,
    cut: true,
    isRowHeader: true,
    onCard: 'head',
  }),
  CARD_LINE,
  {
    id: 'companies',
    header: header.companies,
    width: 90,
    fits: namesOf,
    most: 300,
    cut: true,
    render: (row) => <Companies row={row} />,
  },
  {
    id: 'class',
    header: header.class,
    width: 48,
    fits: (row) => messages.classes[row.class],
    beside: BADGE_EDGES,
    render: (row) => <Class of={row.class} />,
  },
  {
    id: 'source',
    header: header.source,
    width: 48,
    fits: ({ source }) => messages.sources[source],
    render: ({ source, send_log_id }) =>
      send_log_id === null ? (
        messages.sources[source]
      ) : (
        <Link to={sendPath(send_log_id)}>{messages.sources[source]}</Link>
      ),
  },
  textColumn('created_at', header.created_at, ({ created_at }) => listTime(created_at)),
  textColumn('created_by', header.created_by, ({ created_by }) => created_by ?? messages.automatic, { most: 140 }),
  {
    id: 'note',
    header: header.note,
    width: 70,
    fits: noteOf,
    // The mark of the server's answer.
    beside: 28,
    most: 300,
    cut: true,
    render: (row) => <Note row={row} />,
  },
  ...(onLift === undefined ? [] : [liftColumn(onLift)]),
];

const liftColumn = (onLift: (row: Suppression) => void): Column<Suppression> => ({
  id: 'act',
  header: header.act,
  width: 48,
  fits: liftOf,
  kind: 'acts',
  render: (row) => {
    const isRefused = row.class === 'refused';
    const name = shownValue(row);
    return (
      <Button
        variant="quiet"
        aria-label={isRefused ? lifting.liftRefusedOf(name) : lifting.liftOf(name)}
        onClick={() => onLift(row)}
      >
        {liftOf(row)}
      </Button>
    );
  },
});

/** The note, with the server's own words behind a mark. */
function Note({ row }: { readonly row: Suppression }) {
  const text = noteOf(row);
  if (row.reason === '' || row.reason === text) return text;
  return (
    <span className="line">
      <span className="cut" title={text}>
        {text}
      </span>
      <InfoPopover about="serverReply">{row.reason}</InfoPopover>
    </span>
  );
}

function Companies({ row }: { readonly row: Suppression }) {
  const { companies, companies_total } = row;
  const others = companies_total - companies.length;
  if (companies.length === 0) return messages.noCompany;
  return (
    <span title={namesOf(row)}>
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
