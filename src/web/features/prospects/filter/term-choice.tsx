import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { REGIONS } from '#domain/company/regions.ts';
import { MAX_OFFERED_INDUSTRIES } from '#domain/limits.ts';
import { normalizeText, spelledTerms } from '#domain/text/text-filter.ts';
import { MINUTE_MS } from '#domain/time-units.ts';
import { Menu, MenuGroup } from '#web/components/dialog/menu.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { Loading } from '#web/components/state/loading.tsx';
import { call, type InputOf } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { companies, LIST_SEPARATOR } from '#web/lib/phrases.ts';
import styles from './term-choice.module.css';
import { FILTER_MESSAGES } from './words.ts';

const { terms: messages, fields } = FILTER_MESSAGES;

type IndustryColumn = InputOf<'countIndustries'>['query']['column'];

/** The numbers cost a scan of the list, so they are kept for this time. */
const KEPT_MS = 5 * MINUTE_MS;

const industriesOf = (column: IndustryColumn) =>
  queryOptions({
    queryKey: ['industries', column] as const,
    queryFn: async ({ signal }) => unwrap(await call('countIndustries', { query: { column } }, { signal })),
    staleTime: KEPT_MS,
    gcTime: KEPT_MS,
    meta: SHOWN_IN_PLACE,
  });

/** The text fields whose terms a list offers. */
export type OfferedField = IndustryColumn | 'address';

interface Props {
  readonly field: OfferedField;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The button ▾ in a text field, which opens a list of terms. Each adds itself to the field, or removes itself. */
export default function TermChoice(props: Props) {
  return (
    <Menu
      staysOpen
      className={styles.choice}
      panelClass={props.field === 'address' ? `${styles.panel} ${styles.leftwards}` : styles.panel}
      label={
        <>
          <IconChevronDown size={16} aria-hidden />
          <span className="visually-hidden">{messages.choose(fields[props.field])}</span>
        </>
      }
    >
      <TermList {...props} />
    </Menu>
  );
}

/** Lists the terms of a filter's field. A pressed one is in the field. */
function TermList({ field, value, onChange }: Props) {
  const written = spelledTerms(value);
  const termButton = (term: string, found?: number) => (
    <TermButton
      key={term}
      term={term}
      found={found}
      isChosen={written.has(normalizeText(term))}
      onToggle={() => onChange(toggled(value, term))}
    />
  );
  return field === 'address' ? (
    <div className={styles.regions}>
      {REGIONS.map(([region, prefectures]) => (
        <MenuGroup key={region} label={region}>
          {prefectures.map((prefecture) => termButton(prefecture))}
        </MenuGroup>
      ))}
    </div>
  ) : (
    <Industries column={field} termButton={termButton} />
  );
}

interface IndustriesProps {
  readonly column: IndustryColumn;
  readonly termButton: (term: string, found: number) => ReactNode;
}

function Industries({ column, termButton }: IndustriesProps) {
  const { data, isError, error, refetch } = useQuery(industriesOf(column));
  if (data === undefined) {
    return isError ? <LoadFailed error={error} onRetry={() => void refetch()} /> : <Loading />;
  }
  const { industries, too_many } = data;
  const { tooMany, none, most } = messages;
  const note =
    too_many === 1
      ? tooMany
      : industries.length === 0
        ? none(fields[column])
        : industries.length === MAX_OFFERED_INDUSTRIES
          ? most(MAX_OFFERED_INDUSTRIES)
          : null;
  return (
    <>
      {note === null ? null : <p className={`note ${styles.note}`}>{note}</p>}
      {industries.map(({ term, companies: found }) => termButton(term, found))}
    </>
  );
}

interface TermProps {
  readonly term: string;
  /** The companies that the filter finds by the term; undefined: not counted. */
  readonly found: number | undefined;
  readonly isChosen: boolean;
  readonly onToggle: () => void;
}

const TermButton = ({ term, found, isChosen, onToggle }: TermProps) => (
  <button type="button" className={styles.term} aria-pressed={isChosen} title={term} onClick={onToggle}>
    <IconCheck size={16} aria-hidden />
    <span className={styles.name}>{term}</span>
    {found === undefined ? null : <span className={styles.found}>{companies(found)}</span>}
  </button>
);

/** Adds a term to the text of a field, or removes it. */
function toggled(text: string, term: string): string {
  const terms = new Map(spelledTerms(text));
  if (!terms.delete(normalizeText(term))) terms.set(normalizeText(term), term);
  return [...terms.values()].join(LIST_SEPARATOR);
}
