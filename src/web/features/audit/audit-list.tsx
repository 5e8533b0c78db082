import { useQuery } from '@tanstack/react-query';
import { Button } from '#web/components/button.tsx';
import type { Column } from '#web/components/data-table/column.ts';
import { PagedTable, useListPage } from '#web/components/data-table/paged-table.tsx';
import { textColumn } from '#web/components/data-table/text-column.ts';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { folderPath, importPath, sendPath } from '#web/lib/address/params.ts';
import { PATHS, prospectPath, reservationPath, templatePath } from '#web/lib/address/paths.ts';
import { Link } from '#web/lib/router/link.tsx';
import { listTime } from '#web/lib/screen-time.ts';
import styles from './audit.module.css';
import { AuditFilterBar } from './audit-filter.tsx';
import { type AuditRow, auditPage, type useAuditPlace } from './audit-place.ts';
import { AUDIT_MESSAGES as messages } from './words.ts';

const { columns: header } = messages;

type Subject = NonNullable<AuditRow['subject']>;

/** Returns the screen that shows a subject; null: none does. */
const SCREENS: Readonly<Record<Subject['type'], ((id: number) => string) | null>> = {
  run: (id) => sendPath(id),
  reservation: reservationPath,
  company: prospectPath,
  mail: null,
  reply: null,
  template: templatePath,
  sender: () => PATHS.settingsGroups,
  person: () => PATHS.settingsGroups,
  group: () => PATHS.settingsGroups,
  member: () => PATHS.settingsMembers,
  invitation: () => PATHS.settingsMembers,
  import: (id) => importPath(id),
  folder: folderPath,
  condition: null,
  closing_day: () => PATHS.settingsSending,
  suppression: null,
};

const nameOf = ({ subject }: AuditRow): string => subject?.name ?? '';

function SubjectName({ subject }: { readonly subject: Subject }) {
  const screen = subject.is_gone === 1 ? null : SCREENS[subject.type];
  return screen === null ? subject.name : <Link to={screen(subject.id)}>{subject.name}</Link>;
}

const COLUMNS: readonly Column<AuditRow>[] = [
  textColumn('at', header.at, ({ at }) => listTime(at)),
  textColumn('who', header.who, ({ who }) => who, { width: 80, most: 200, cut: true }),
  {
    id: 'text',
    header: header.text,
    width: 200,
    fits: ({ text }) => text,
    most: 560,
    cut: true,
    isRowHeader: true,
    render: ({ text }) => <span className={styles.whole}>{text}</span>,
  },
  {
    id: 'subject',
    header: header.subject,
    width: 90,
    fits: nameOf,
    most: 280,
    cut: true,
    render: ({ subject }) =>
      subject === null ? (
        ''
      ) : (
        <span className={styles.whole}>
          <SubjectName subject={subject} />
        </span>
      ),
  },
];

interface Props {
  readonly place: ReturnType<typeof useAuditPlace>;
  /** All members, stopped ones too. */
  readonly members: readonly { readonly id: number; readonly name: string; readonly active: 0 | 1 }[];
}

const NONE = { member: '', kind: '', period: '', from: '', to: '' } as const;

/** Lists who did what, newest first. */
export function AuditList({ place, members }: Props) {
  const { choice, fault, filter, goToPage, setChoice } = place;
  const paging = useListPage(place.page, goToPage);
  const query = { ...filter, pagenate_num: paging.page, pagenate_count: paging.size };
  const list = useQuery({ ...auditPage(query), enabled: fault === undefined });
  const { data, isError, error, refetch } = list;
  const isMore = data?.is_more === 1;
  const isNarrowed = Object.values(choice).some((value) => value !== undefined);
  return (
    <div className="stack">
      <AuditFilterBar choice={choice} fault={fault} members={members} onChange={setChoice} />
      {fault !== undefined ? null : isError && data === undefined ? (
        <LoadFailed what={messages.title} error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          {isMore ? <p className="note">{messages.moreHelp}</p> : null}
          <PagedTable
            paging={paging}
            list={list}
            label={messages.title}
            columns={COLUMNS}
            rowId={({ id }) => id}
            view={JSON.stringify(query)}
            empty={
              <EmptyState kind="no-match" title={isNarrowed ? messages.noMatch : messages.none}>
                {isNarrowed ? <Button onClick={() => setChoice(NONE)}>{messages.clear}</Button> : null}
              </EmptyState>
            }
          />
        </>
      )}
    </div>
  );
}
