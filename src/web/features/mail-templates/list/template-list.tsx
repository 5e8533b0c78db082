import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import field from '#web/components/field/field.module.css';
import { FilterBar } from '#web/components/field/filter-bar.tsx';
import { SearchField } from '#web/components/field/search-field.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { TEMPLATES } from '#web/lib/address/params.ts';
import { useAddress } from '#web/lib/address/use-address.ts';
import { call } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { May } from '#web/lib/session/use-may.ts';
import { ActionsDialog } from './actions-dialog.tsx';
import { FoldersDialog } from './folders-dialog.tsx';
import { type SentCounts, type TemplatePage, type TemplateRow, templateList } from './list-templates.ts';
import { folderOf, isIn, type Order, type Shown, shownTemplates } from './shown-templates.ts';
import { type CardParts, TemplateCard } from './template-card.tsx';
import styles from './template-list.module.css';
import { FOLDER_MESSAGES, TEMPLATE_LIST_MESSAGES as messages } from './words.ts';

/** The age in ms up to which counts are reused. */
const SENT_FRESH_MS = 5 * 60_000;

/**
 * Fetches the recent mails of each template, by id. Counting takes longer than loading the list, so the list does not
 * wait for it, and recent counts are reused.
 */
const sentCounts = queryOptions({
  queryKey: ['template_sent'],
  queryFn: async ({ signal }): Promise<ReadonlyMap<number, SentCounts>> => {
    const query = { columns: ['id', 'sent', 'replied'] };
    const answer = await call('listMailTemplates', { query }, { signal });
    const rows = unwrap(answer);
    return new Map(
      rows.flatMap(({ id, sent = 0, replied = 0 }) => (id === undefined ? [] : [[id, { sent, replied }] as const])),
    );
  },
  staleTime: SENT_FRESH_MS,
  gcTime: SENT_FRESH_MS,
  // The list on the same screen reports a lost connection.
  meta: { quiet: true },
});

/** What a new template starts from. */
export type NewTemplateKind = { readonly kind: 'blank' | 'sample' } | { readonly kind: 'copy'; readonly of: number };

interface Props extends Omit<CardParts, 'onActions'> {
  readonly onCreate: (kind: NewTemplateKind) => void;
}

/** Shows all templates, or those of a folder or a search. */
export function TemplateList({ onCreate, ...parts }: Props) {
  const { data, error, refetch } = useQuery(templateList);
  const { data: sent } = useQuery(sentCounts);
  const [{ folder, search = '' }, change] = useAddress(TEMPLATES);
  const [order, setOrder] = useState<Order>('updated_at');
  const [opened, setOpened] = useState<TemplateRow | 'folders' | null>(null);
  const isNarrow = useNarrowScreen();
  if (data === undefined) return <NotLoaded what={messages.title} error={error} onRetry={() => void refetch()} />;
  const rows = shownTemplates(data.templates, { folder, search, order, sent });
  return (
    <div className={styles.screen}>
      <Folders
        data={data}
        chosen={typeof folder === 'number' && !folderOf(data.folders, folder) ? 'all' : String(folder)}
        onChoose={(value) => change({ folder: value })}
        onManage={() => setOpened('folders')}
      />
      <div className="stack-wide">
        <FilterBar>
          <div className={styles.find}>
            <SearchField label={messages.search} search={search} onSearch={(text) => change({ search: text })} />
            <SelectField
              label={messages.order}
              hidesLabel={isNarrow}
              choices={ORDERS}
              value={order}
              onChange={(value) => setOrder(value as Order)}
            />
          </div>
          {/* On phones the folder's choice has the number of all, and the cards of a search are few. */}
          <span role="status" className={isNarrow ? 'visually-hidden' : undefined}>
            {messages.matches(rows.length)}
          </span>
        </FilterBar>
        {rows.length === 0 ? (
          <NoTemplate
            data={data}
            shown={{ folder, search }}
            onCreate={onCreate}
            onClear={() => change({ folder: undefined, search: undefined })}
          />
        ) : (
          <ul className={styles.cards} aria-label={messages.title}>
            {rows.map((template) => (
              <TemplateCard
                key={template.id}
                {...parts}
                template={template}
                counts={sent && (sent.get(template.id) ?? { sent: 0, replied: 0 })}
                onActions={setOpened}
              />
            ))}
          </ul>
        )}
      </div>
      {opened === 'folders' ? <FoldersDialog onClose={() => setOpened(null)} /> : null}
      {opened !== null && opened !== 'folders' ? (
        <ActionsDialog
          template={opened}
          folders={data.folders}
          renderLink={parts.renderLink}
          onCopy={() => onCreate({ kind: 'copy', of: opened.id })}
          onClose={() => setOpened(null)}
        />
      ) : null}
    </div>
  );
}

const ORDERS = Object.entries(messages.orders).map(([value, label]) => ({ value, label }));

interface FoldersProps {
  readonly data: TemplatePage;
  readonly chosen: string;
  readonly onChoose: (folder: string) => void;
  readonly onManage: () => void;
}

/** Shows the folders beside the cards; on phones in a select above them. */
function Folders({ data, chosen, onChoose, onManage }: FoldersProps) {
  const isNarrow = useNarrowScreen();
  const choices = folderChoices(data);
  return (
    <nav className={`stack-tight ${styles.places}`} aria-label={messages.folder}>
      {isNarrow ? (
        <SelectField
          className={field.inline}
          label={messages.folder}
          choices={choices}
          value={chosen}
          onChange={onChoose}
        />
      ) : (
        choices.map(({ value, label }) => (
          <button
            key={value}
            type="button"
            className={styles.place}
            aria-current={value === chosen || undefined}
            onClick={() => onChoose(value)}
          >
            {label}
          </button>
        ))
      )}
      <May call="updateTemplateFolder">
        <Button variant="quiet" onClick={onManage}>
          {FOLDER_MESSAGES.manage}
        </Button>
      </May>
    </nav>
  );
}

function folderChoices({ templates, folders }: TemplatePage) {
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
  readonly data: TemplatePage;
  readonly shown: Pick<Shown, 'folder' | 'search'>;
  readonly onClear: () => void;
}

function NoTemplate({ data, shown, onCreate, onClear }: NoTemplateProps) {
  const hasTemplates = data.templates.some((template) => isIn(template, 'all'));
  const wholeFolder = shown.search === '' ? shown.folder : undefined;
  if (wholeFolder === 'all' && !hasTemplates) {
    return (
      <EmptyState kind="template" title={messages.empty} help={messages.emptyHelp}>
        <May call="addMailTemplate">
          <Button variant="primary" onClick={() => onCreate({ kind: 'sample' })}>
            {messages.fromSample}
          </Button>
        </May>
      </EmptyState>
    );
  }
  if (wholeFolder === 'archived') return <EmptyState kind="template" title={messages.noArchived} />;
  return (
    <EmptyState kind="no-match" title={messages.noMatch}>
      <Button onClick={onClear}>{messages.clear}</Button>
    </EmptyState>
  );
}
