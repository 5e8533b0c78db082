import type { ProspectView } from '#contract/prospects.ts';
import type { ProspectColumn } from '#contract/prospects-filter.ts';
import { formatNumber } from '#domain/text/formats.ts';
import type { Column } from '#web/components/data-table/column.ts';
import { PhoneLink } from '#web/components/phone-link.tsx';
import { WebLink } from '#web/components/web-link.tsx';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { ActiveSwitch } from './active-switch.tsx';
import { type CompanyLinks, CompanyName } from './company-name.tsx';
import { ProspectStatus } from './prospect-status.tsx';
import { RemarksCell } from './remarks-cell.tsx';
import { PROSPECT_MESSAGES } from './words.ts';

type Details = Omit<Column<ProspectView>, 'id' | 'header'>;
type TextColumn =
  | 'company_email'
  | 'ceo'
  | 'major_industry_type'
  | 'included_industry_type'
  | 'address'
  | 'sent_at'
  | 'send_at';
type NumberColumn = 'number_of_employees' | 'amount_of_sales' | 'ordinary_profit' | 'capital';

const ACTIVE_WIDTH = 70;

const text = (id: TextColumn, width: number): Details => ({ width, render: (prospect) => prospect[id] ?? '' });

const number = (id: NumberColumn, width: number): Details => ({
  width,
  kind: 'number',
  unit: PROSPECT_MESSAGES.units[id],
  render: (prospect) => formatNumber(prospect[id]),
});

const statusColumn = (links: CompanyLinks): Column<ProspectView> => ({
  id: 'status',
  header: PROSPECT_MESSAGES.rowStatus,
  width: 138,
  isUnsortable: true,
  render: (prospect) => <ProspectStatus prospect={prospect} links={links} />,
});

/**
 * Returns the columns in the specification's order, with the flags and remarks of one sender group.
 * The status follows 有効.
 *
 * @param links leads from the name to the company's details
 */
export function prospectColumns(groupId: number, links: CompanyLinks): readonly Column<ProspectView>[] {
  const details: Record<ProspectColumn, Details> = {
    active: {
      width: ACTIVE_WIDTH,
      pinnedAt: 0,
      isFixed: true,
      render: (prospect) => <ActiveSwitch prospect={prospect} groupId={groupId} />,
    },
    sent_at: text('sent_at', 132),
    send_at: text('send_at', 132),
    company_name: {
      width: 220,
      pinnedAt: ACTIVE_WIDTH,
      isRowHeader: true,
      render: (prospect) => <CompanyName prospect={prospect} links={links} />,
    },
    remarks: { width: 190, render: (prospect) => <RemarksCell prospect={prospect} groupId={groupId} /> },
    company_email: text('company_email', 210),
    ceo: text('ceo', 110),
    major_industry_type: text('major_industry_type', 130),
    included_industry_type: text('included_industry_type', 150),
    address: text('address', 240),
    number_of_employees: number('number_of_employees', 128),
    amount_of_sales: number('amount_of_sales', 150),
    ordinary_profit: number('ordinary_profit', 140),
    capital: number('capital', 140),
    year_of_establishment: {
      width: 84,
      kind: 'number',
      render: ({ year_of_establishment: year }) => (year === null ? '' : String(year)),
    },
    company_url: { width: 190, render: ({ company_url }) => <WebLink url={company_url} /> },
    contact_url: { width: 210, render: ({ contact_url }) => <WebLink url={contact_url} /> },
    phone: {
      width: 150,
      isUnsortable: true,
      isOptional: true,
      render: ({ phone }) => <PhoneLink phone={phone} />,
    },
    published_at_url: {
      width: 210,
      isUnsortable: true,
      render: ({ published_at_url }) => <WebLink url={published_at_url} />,
    },
    published_seen_on: {
      width: 110,
      isUnsortable: true,
      render: ({ published_seen_on: day }) => day?.replaceAll('-', '/') ?? '',
    },
    publication_notice: {
      width: 130,
      isUnsortable: true,
      render: ({ publication_notice: notice }) => notice && COMMON_MESSAGES.prospects.notices[notice],
    },
  };
  const [active, ...others] = Object.entries(details).map(([id, detail]) => ({
    id,
    header: COMMON_MESSAGES.prospects.columns[id as ProspectColumn],
    ...detail,
  }));
  return active === undefined ? [] : [active, statusColumn(links), ...others];
}
