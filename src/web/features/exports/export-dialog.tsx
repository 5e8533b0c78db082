import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { MAX_XLSX_ROWS } from '#domain/limits.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import { type Choice, SelectField } from '#web/components/field/select-field.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { useOnceKey } from '#web/lib/api/use-once-key.ts';
import styles from './export.module.css';
import { exportList, isOpen } from './export-list.ts';
import { ExportRow } from './export-row.tsx';
import {
  type ExportChoice,
  type ExportSource,
  type Format,
  isLimit,
  requestOf,
  rowsOf,
  useStartExport,
} from './start-export.ts';
import { EXPORT_MESSAGES } from './words.ts';

const FORMATS: readonly Choice[] = Object.entries(EXPORT_MESSAGES.formats).map(([value, label]) => ({ value, label }));

const COLUMNS: readonly Choice[] = Object.entries(EXPORT_MESSAGES.columnChoices).map(([value, label]) => ({
  value,
  label,
}));

interface Props {
  readonly source: ExportSource;
  readonly onClose: () => void;
}

/** Starts exports, and lists the recent ones with their progress and files. */
export default function ExportDialog({ source, onClose }: Props) {
  const [choice, setChoice] = useState<ExportChoice>(() => ({
    scope: scopesOf(source)[0]?.value as ExportChoice['scope'],
    columns: 'shown',
    format: 'csv_utf8',
  }));
  const { keyOf, forget } = useOnceKey();
  const start = useStartExport();
  const fault = formatFault(source, choice);

  const change = (part: Partial<ExportChoice>) => setChoice({ ...choice, ...part });
  const begin = () => {
    const request = requestOf(source, choice);
    start.mutate({ request, key: keyOf(request) }, { onSuccess: forget });
  };

  return (
    <Dialog title={EXPORT_MESSAGES.titles[source.what]} size={560} grows onClose={onClose}>
      <div className={styles.choices}>
        {source.what === 'prospects' ? (
          <>
            <SelectField
              label={EXPORT_MESSAGES.scope}
              choices={scopesOf(source)}
              value={choice.scope}
              onChange={(scope) => change({ scope: scope as ExportChoice['scope'] })}
            />
            <SelectField
              label={EXPORT_MESSAGES.columns}
              choices={COLUMNS}
              value={choice.columns}
              onChange={(columns) => change({ columns: columns as ExportChoice['columns'] })}
            />
          </>
        ) : null}
        <SelectField
          label={EXPORT_MESSAGES.format}
          choices={FORMATS}
          value={choice.format}
          error={fault}
          onChange={(format) => change({ format: format as Format })}
        />
      </div>
      <div className={`spread ${styles.start}`}>
        <small>{EXPORT_MESSAGES.help}</small>
        <Button variant="primary" data-autofocus busy={start.isPending || fault !== undefined} onClick={begin}>
          {EXPORT_MESSAGES.start}
        </Button>
      </div>
      {isLimit(start.error) ? (
        <p role="alert" className="fault">
          {start.error?.message}
        </p>
      ) : null}
      <RecentExports />
    </Dialog>
  );
}

function formatFault(source: ExportSource, choice: ExportChoice): string | undefined {
  const rows = rowsOf(source, choice) ?? 0;
  return choice.format === 'xlsx' && rows > MAX_XLSX_ROWS ? EXPORT_MESSAGES.tooManyRows : undefined;
}

function scopesOf(source: ExportSource): Choice[] {
  if (source.what !== 'prospects') return [{ value: 'all', label: '' }];
  const { scopes } = EXPORT_MESSAGES;
  const { ids, total, isNarrowed } = source;
  return [
    ...(ids === undefined ? [] : [{ value: 'chosen', label: scopes.chosen(ids.length) }]),
    ...(isNarrowed ? [{ value: 'condition', label: scopes.condition(total) }] : []),
    { value: 'all', label: scopes.all },
  ];
}

/** Lists the recent exports. Only the newest running one receives server-sent events. */
function RecentExports() {
  const list = useQuery(exportList);
  const followed = list.data?.find(isOpen)?.id;
  return (
    <section className={styles.recent} aria-label={EXPORT_MESSAGES.recent}>
      <h3>{EXPORT_MESSAGES.recent}</h3>
      {list.data === undefined ? (
        <NotLoaded error={list.error} onRetry={() => void list.refetch()} />
      ) : list.data.length === 0 ? (
        <small>{EXPORT_MESSAGES.empty}</small>
      ) : (
        <ul>
          {list.data.map((one) => (
            <ExportRow key={one.id} one={one} isFollowed={one.id === followed} />
          ))}
        </ul>
      )}
    </section>
  );
}
