import { queryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { DataTable } from '#web/components/data-table/data-table.tsx';
import type { Sort } from '#web/components/data-table/sort.ts';
import { EmptyState } from '#web/components/empty-state.tsx';
import { FilterBar } from '#web/components/filter-bar.tsx';
import { LoadFailed } from '#web/components/load-failed.tsx';
import { SearchField } from '#web/components/search-field.tsx';
import { SelectField } from '#web/components/select-field.tsx';
import { TEMPLATES } from '#web/lib/address/params.ts';
import { useAddress } from '#web/lib/address/use-address.ts';
import { call } from '#web/lib/call.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { ActionsDialog } from './actions-dialog.tsx';
import { FoldersDialog } from './folders-dialog.tsx';
import { type TemplatePage, type TemplateRow, templateList } from './list-templates.ts';
import { folderOf, isIn, type Shown, shownTemplates } from './shown-templates.ts';
import { templateColumns } from './template-columns.tsx';
import styles from './template-list.module.css';
import { FOLDER_MESSAGES, TEMPLATE_LIST_MESSAGES as messages } from './words.ts';

/** Counts younger than this are shown again. */
const SENT_FRESH_MS = 5 * 60_000;

/**
 * Mails that each template has sent lately, by its id. They take longer to count than the list takes to load, so the
 * list is shown without them, and a recent count is not repeated.
 */
const sentCounts = queryOptions({
  queryKey: ['template_sent'],
  queryFn: async ({ signal }): Promise<ReadonlyMap<number, number>> => {
    const query = { columns: ['id', 'sent'] };
    const answer = await call('listMailTemplates', { query }, { signal });
    return new Map(unwrap(answer).flatMap(({ id, sent }) => (id === undefined ? [] : [[id, sent ?? 0] as const])));
  },
  staleTime: SENT_FRESH_MS,
  gcTime: SENT_FRESH_MS,
  // The list of the same screen reports that the server cannot be reached.
  meta: { quiet: true },
});

/** How the dialog that creates a template begins. */
export type NewTemplateKind = { readonly kind: 'blank' | 'sample' } | { readonly kind: 'copy'; readonly of: number };

interface Props {
  readonly renderLink: (template: TemplateRow) => ReactNode;
  readonly onCreate: (kind: NewTemplateKind) => void;
}

/** All templates, of a folder or a search. */
export function TemplateList({ renderLink, onCreate }: Props) {
  const { data, isError, refetch } = useQuery(templateList);
  const { data: sent } = useQuery(sentCounts);
  const [{ folder, search = '' }, change] = useAddress(TEMPLATES);
  const [sort, setSort] = useState<Sort>();
  const [opened, setOpened] = useState<TemplateRow | 'folders' | null>(null);
  const shown: Shown = { folder, search, sort };
  const columns = useMemo(() => templateColumns({ renderLink, onActions: setOpened, sent }), [renderLink, sent]);
  if (isError && data === undefined) return <LoadFailed onRetry={() => void refetch()} />;
  const rows = data && shownTemplates(data.templates, { ...shown, sent });
  return (
    <div className={styles.list}>
      <FilterBar>
        <SelectField
          label={messages.folder}
          choices={folderChoices(data)}
          value={
            data && typeof shown.folder === 'number' && !folderOf(data.folders, shown.folder)
              ? 'all'
              : String(shown.folder)
          }
          onChange={(value) => change({ folder: value })}
        />
        <SearchField label={messages.search} search={shown.search} onSearch={(text) => change({ search: text })} />
        <Button variant="quiet" onClick={() => setOpened('folders')}>
          {FOLDER_MESSAGES.manage}
        </Button>
        <span role="status">{rows === undefined ? '' : messages.matches(rows.length)}</span>
      </FilterBar>
      <DataTable
        label={messages.title}
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        sort={sort}
        onSort={setSort}
        view={JSON.stringify(shown)}
        empty={
          <NoTemplate
            data={data}
            shown={shown}
            onCreate={onCreate}
            onClear={() => change({ folder: undefined, search: undefined })}
          />
        }
      />
      {opened === 'folders' ? <FoldersDialog onClose={() => setOpened(null)} /> : null}
      {opened !== null && opened !== 'folders' ? (
        <ActionsDialog
          template={opened}
          folders={data?.folders ?? []}
          renderLink={renderLink}
          onCopy={() => onCreate({ kind: 'copy', of: opened.id })}
          onClose={() => setOpened(null)}
        />
      ) : null}
    </div>
  );
}

function folderChoices(data: TemplatePage | undefined) {
  const { templates = [], folders = [] } = data ?? {};
  const choice = (value: string, name: string) => ({
    value,
    label: messages.folderOf(name, templates.filter((template) => isIn(template, TEMPLATES.folder(value))).length),
  });
  const { all, none, archived } = messages.folders;
  return [
    choice('all', all),
    ...folders.map(({ id, name }) => choice(String(id), name)),
    ...(folders.length === 0 ? [] : [choice('none', none)]),
    choice('archived', archived),
  ];
}

interface NoTemplateProps extends Pick<Props, 'onCreate'> {
  readonly data: TemplatePage | undefined;
  readonly shown: Shown;
  readonly onClear: () => void;
}

function NoTemplate({ data, shown, onCreate, onClear }: NoTemplateProps) {
  const hasTemplates = data?.templates.some((template) => isIn(template, 'all')) === true;
  const wholeFolder = shown.search === '' ? shown.folder : undefined;
  if (wholeFolder === 'all' && !hasTemplates) {
    return (
      <EmptyState kind="none" title={messages.empty} help={messages.emptyHelp}>
        <Button variant="primary" onClick={() => onCreate({ kind: 'sample' })}>
          {messages.fromSample}
        </Button>
      </EmptyState>
    );
  }
  if (wholeFolder === 'archived') return <EmptyState kind="none" title={messages.noArchived} />;
  return (
    <EmptyState kind="no-match" title={messages.noMatch}>
      <Button onClick={onClear}>{messages.clear}</Button>
    </EmptyState>
  );
}
