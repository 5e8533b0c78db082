import IconMailExclamation from '@tabler/icons-react/dist/esm/icons/IconMailExclamation.mjs';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Column } from '#web/components/data-table/column.ts';
import { textColumn } from '#web/components/data-table/text-column.ts';
import { StatusBadge } from '#web/components/inline/status-badge.tsx';
import { shownValue } from '#web/lib/data/company-value.ts';
import { usePaging } from '#web/lib/screen/paging-state.ts';
import { type ChangeKind, changesOf, type ImportChange } from './import-query.ts';
import { Pages, type Placed, placed } from './review-pages.tsx';
import { IMPORT_MESSAGES, REVIEW_MESSAGES } from './words.ts';

const { line: header, rowOf, blank, primary } = REVIEW_MESSAGES;

type Change = ImportChange['changes'][number];
type ChangeRow = Placed<Pick<ImportChange, 'row' | 'company_name' | 'person'> & Change>;
type PersonRow = Placed<ImportChange>;

const names: Readonly<Record<string, string>> = IMPORT_MESSAGES.fields;

/** Shows a value of a company or of a person. */
function shownOrBlank({ field, person }: ChangeRow, value: Change['old']): string {
  if (person !== undefined && field === 'is_primary') return value === 1 ? primary : blank;
  return shownValue(field, value) || blank;
}

const fieldName = ({ field, label, person }: ChangeRow): string =>
  names[person === undefined ? field : `person_${field}`] ?? label ?? field;

const WIDE = { width: 140, most: 400, cut: true } as const;

const company = <Row extends Pick<ImportChange, 'company_name'>>(more: Partial<Column<Row>> = {}) =>
  textColumn<Row>('company', header.company, ({ company_name }) => company_name ?? '', { ...WIDE, ...more });

const personText = (key: 'name' | 'department' | 'title' | 'email') =>
  textColumn<PersonRow>(key, names[`person_${key}`] ?? key, ({ person }) => person?.[key] ?? '', {
    width: 100,
    most: key === 'email' ? 400 : 240,
    cut: true,
  });

/** Who has no name is known by the address, the title or the department. */
const nameOf = ({ person }: Pick<ImportChange, 'person'>): string =>
  person === undefined ? '' : person.name || person.email || person.title || person.department;

/** The new address of a company or person, to which mails go. */
const isAddress = ({ field }: ChangeRow): boolean => field === 'company_email' || field === 'email';

const VALUES: readonly Column<ChangeRow>[] = [
  textColumn('field', header.column, fieldName),
  textColumn('old', header.old, (row) => shownOrBlank(row, row.old), { width: 120, most: 400, cut: true }),
  {
    id: 'new',
    header: header.new,
    // Fits an address and the badge behind it.
    width: 280,
    fits: (row) => shownOrBlank(row, row.new),
    most: 400,
    cut: true,
    render: (row) =>
      isAddress(row) ? (
        <span>
          {shownOrBlank(row, row.new)}{' '}
          <StatusBadge look={{ tone: 'amber', Icon: IconMailExclamation }} word={REVIEW_MESSAGES.addressChanges} />
        </span>
      ) : (
        shownOrBlank(row, row.new)
      ),
  },
];
const COMPANY_CHANGES: readonly Column<ChangeRow>[] = [
  textColumn('row', header.row, ({ row }) => rowOf(row)),
  company({ isRowHeader: true }),
  ...VALUES,
];
const PERSON_CHANGES: readonly Column<ChangeRow>[] = [
  company(),
  textColumn('person', header.person, nameOf, { ...WIDE, width: 100, isRowHeader: true }),
  ...VALUES,
];
const ADDED: readonly Column<PersonRow>[] = [
  company(),
  { ...personText('name'), isRowHeader: true },
  personText('department'),
  personText('title'),
  personText('email'),
];

function usePages(id: number, kind: ChangeKind) {
  const [page, onPage] = useState(1);
  const size = usePaging((state) => state.pagenate_count);
  const list = useQuery(changesOf(id, kind, { page, size }));
  return { list, page, onPage };
}

interface Props {
  readonly id: number;
  readonly label: string;
}

/** Lists the companies or people that the import would change, with a line for each changed value. */
export function ChangeTable({ id, label, kind }: Props & { readonly kind: 'changed' | 'people_changed' }) {
  const { list, ...pages } = usePages(id, kind);
  const rows = useMemo(
    () =>
      list.data && placed(list.data.rows.flatMap(({ changes, ...of }) => changes.map((one) => ({ ...of, ...one })))),
    [list.data],
  );
  const columns = kind === 'changed' ? COMPANY_CHANGES : PERSON_CHANGES;
  return <Pages label={label} columns={columns} rows={rows} list={list} {...pages} />;
}

/** Lists the people whom the import would add. */
export function AddedPeople({ id, label }: Props) {
  const { list, ...pages } = usePages(id, 'people_added');
  const rows = useMemo(() => list.data && placed(list.data.rows), [list.data]);
  return <Pages label={label} columns={ADDED} rows={rows} list={list} {...pages} />;
}
