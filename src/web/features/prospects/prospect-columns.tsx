import type { ProspectView } from '#contract/companies/prospects.ts';
import type { ProspectColumn } from '#contract/companies/prospects-filter.ts';
import { prefectureOf } from '#domain/company/at-a-glance.ts';
import { formatNumber, formatShortNumber } from '#domain/text/formats.ts';
import { plainDay } from '#domain/time/shown-time.ts';
import type { Column } from '#web/components/data-table/column.ts';
import { Switch } from '#web/components/field/switch.tsx';
import { PhoneLink } from '#web/components/inline/phone-link.tsx';
import { ProspectStatus } from '#web/components/inline/prospect-status.tsx';
import { WebLink } from '#web/components/inline/web-link.tsx';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { CompanyLink, type CompanyLinks, CompanyName } from './company-name.tsx';
import styles from './prospect-columns.module.css';
import { RemarksCell } from './remarks-cell.tsx';
import { useSaveActiveProspect } from './save-active-prospect.ts';
import { PROSPECT_MESSAGES } from './words.ts';

type Status = ProspectView['status'];

type Details = Omit<Column<ProspectView>, 'id' | 'header'>;

type TextColumn =
  | 'company_email'
  | 'ceo'
  | 'major_industry_type'
  | 'included_industry_type'
  | 'address'
  | 'sent_at'
  | 'send_at';

const text = (id: TextColumn, width: number): Details => ({ width, render: (prospect) => prospect[id] ?? '' });

type MoneyColumn = 'amount_of_sales' | 'ordinary_profit' | 'capital';

/** Shows amounts in a short form; the whole amount appears on hover, and in the company's details. */
const money = (id: MoneyColumn, width: number): Details => ({
  width,
  kind: 'number',
  unit: PROSPECT_MESSAGES.units[id],
  titleOf: (prospect) => formatNumber(prospect[id]),
  render: (prospect) => formatShortNumber(prospect[id]),
});

const ACTIVE_WIDTH = 66;
/** The width of a column without values: two characters of its header and the sort icon. */
const BLANK_WIDTH = 44;

const statusColumn = (links: CompanyLinks): Column<ProspectView> => ({
  id: 'status',
  header: PROSPECT_MESSAGES.rowStatus,
  // Fits 送信済み with a date.
  width: 162,
  // Fits its header.
  blank: { width: 94, of: ({ status }) => status === 'unsent' },
  isUnsortable: true,
  render: (prospect) => <RowStatus prospect={prospect} links={links} />,
});

/** The second line of a company's card on a phone. */
const CARD_LINE: Column<ProspectView> = {
  id: 'card_line',
  header: '',
  width: 0,
  onCard: 'line',
  foldName: ({ company_name }) => PROSPECT_MESSAGES.otherFieldsOf(company_name),
  render: (prospect) => (
    <>
      {prospect.status === 'unsent' ? null : <ProspectStatus of={prospect} time="day" />}
      <span className="cut">
        {[prospect.ceo, prefectureOf(prospect.address)]
          .filter((part) => part !== null && part !== '')
          .join(PROSPECT_MESSAGES.cardSeparator)}
      </span>
    </>
  ),
};

/**
 * Returns the columns in the specification's order, with the flags and remarks of one sender group.
 * The status, which is ours, follows the name.
 *
 * @param links the links from names to the companies' details
 */
export function prospectColumns(groupId: number, links: CompanyLinks): readonly Column<ProspectView>[] {
  const details: Record<ProspectColumn, Details> = {
    active: {
      width: ACTIVE_WIDTH,
      pinnedAt: 0,
      isFixed: true,
      onCard: 'head',
      render: (prospect) => <ActiveSwitch prospect={prospect} groupId={groupId} />,
    },
    sent_at: text('sent_at', 141),
    send_at: text('send_at', 141),
    company_name: {
      width: 288,
      pinnedAt: ACTIVE_WIDTH,
      isRowHeader: true,
      onCard: 'head',
      render: (prospect) => <CompanyName prospect={prospect} links={links} />,
    },
    remarks: {
      width: 205,
      blank: { width: 88, of: ({ remarks }) => remarks === '' },
      render: (prospect) => <RemarksCell prospect={prospect} groupId={groupId} />,
    },
    company_email: text('company_email', 237),
    ceo: text('ceo', 118),
    major_industry_type: text('major_industry_type', 140),
    included_industry_type: text('included_industry_type', 162),
    address: text('address', 258),
    number_of_employees: {
      width: 138,
      kind: 'number',
      unit: PROSPECT_MESSAGES.units.number_of_employees,
      render: ({ number_of_employees }) => formatNumber(number_of_employees),
    },
    amount_of_sales: money('amount_of_sales', 125),
    ordinary_profit: money('ordinary_profit', 140),
    capital: money('capital', 125),
    year_of_establishment: {
      width: 90,
      kind: 'number',
      render: ({ year_of_establishment: year }) => (year === null ? '' : String(year)),
    },
    company_url: { width: 205, render: ({ company_url }) => <WebLink url={company_url} /> },
    contact_url: { width: 226, render: ({ contact_url }) => <WebLink url={contact_url} /> },
    phone: {
      width: 162,
      isUnsortable: true,
      isOptional: true,
      render: ({ phone }) => <PhoneLink phone={phone} />,
    },
    published_at_url: {
      width: 226,
      isUnsortable: true,
      render: ({ published_at_url }) => <WebLink url={published_at_url} />,
    },
    published_seen_on: {
      width: 118,
      isUnsortable: true,
      render: ({ published_seen_on: day }) => plainDay(day ?? ''),
    },
    publication_notice: {
      width: 140,
      isUnsortable: true,
      render: ({ publication_notice: notice }) => notice && DATA_MESSAGES.prospects.notices[notice],
    },
  };
  const columns = (Object.keys(details) as ProspectColumn[]).flatMap((id) => [
    {
      id,
      header: DATA_MESSAGES.prospects.columns[id],
      // Every row has a switch and a name.
      blank: details[id].pinnedAt === undefined ? blankOf(id) : undefined,
      ...details[id],
    },
    ...(id === 'company_name' ? [statusColumn(links)] : []),
  ]);
  return [...columns, CARD_LINE];
}

const blankOf = (id: ProspectColumn): Column<ProspectView>['blank'] => ({
  width: BLANK_WIDTH,
  of: (prospect) => (prospect[id] ?? '') === '',
});

interface Props {
  readonly prospect: ProspectView;
  readonly groupId: number;
}

function ActiveSwitch({ prospect, groupId }: Props) {
  const { mutate, isPending, variables } = useSaveActiveProspect(prospect, groupId);
  const active = isPending ? variables.active : prospect.active;
  if (!useMay('saveActiveProspect', { groupId })) return DATA_MESSAGES.prospects.actives[active === 1 ? 1 : 0];
  return (
    <Switch
      label={PROSPECT_MESSAGES.activeOf(prospect.company_name)}
      checked={active === 1}
      busy={isPending}
      onChange={(checked) => mutate({ active: checked ? 1 : 0 })}
    />
  );
}

/** Statuses whose cause the company's details show. */
const EXPLAINED: readonly Status[] = ['undeliverable', 'suppressed', 'replied'];

interface RowStatusProps {
  readonly prospect: ProspectView;
  readonly links: CompanyLinks;
}

/** Shows the status of a company: a dim dot if nothing was sent. The cause of a blocked company is one click away. */
function RowStatus({ prospect, links }: RowStatusProps) {
  const { id, status } = prospect;
  const text = DATA_MESSAGES.prospects.rowStatuses[status];
  if (status === 'unsent') return <span role="img" className={styles.dot} aria-label={text} title={text} />;
  // A reservation's time has its own column.
  const badge = <ProspectStatus of={{ ...prospect, send_at: null }} time="day" />;
  if (!EXPLAINED.includes(status)) return badge;
  return (
    <CompanyLink id={id} links={links} title={PROSPECT_MESSAGES.showReason}>
      {badge}
    </CompanyLink>
  );
}
