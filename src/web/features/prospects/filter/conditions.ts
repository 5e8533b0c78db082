import { useQuery } from '@tanstack/react-query';
import type { ProspectFilter } from '#contract/companies/prospects-filter.ts';
import { addDays, isDay } from '#domain/time/calendar.ts';
import { plainDay } from '#domain/time/shown-time.ts';
import { PRESENCE_FIELDS, RANGE_FIELDS, TAG_FIELDS, TERM_FIELDS } from '#web/lib/address/params.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { type OwnField, ownFieldList, tagList } from '#web/lib/data/own/own-fields.ts';
import { count, LIST_SEPARATOR, RANGE_SEPARATOR } from '#web/lib/phrases.ts';
import { boundText } from '../own/own-draft.ts';
import { fieldName, labelIn } from '../own/own-filter-parts.ts';
import { OWN_LIST_MESSAGES } from '../own/words.ts';
import { draftOf, type FilterField } from './filter-draft.ts';
import { FILTER_MESSAGES } from './words.ts';

const { fields, presence, units, above, below, bound } = FILTER_MESSAGES;

const own = OWN_LIST_MESSAGES;

/** A condition of the filter as text. */
interface Condition {
  readonly label: string;
  readonly value: string;
  /** The key of its own field. */
  readonly ownKey?: string;
  /** The fields of the condition. */
  readonly of: readonly FilterField[];
}

const byId = <Row extends { readonly id: number }>(rows: readonly Row[], id: string): Row | undefined =>
  rows.find((row) => String(row.id) === id);

/** Returns the names of the chosen tags; their number, where the list of tags was not loaded yet. */
function tagNames(written: string): string {
  const ids = written.split(',');
  const tags = queryClient.getQueryData(tagList.queryKey);
  if (tags === undefined) return count(ids.length);
  return ids.map((id) => labelIn(byId(tags, id), own.tags.gone, own.archivedTag)).join(LIST_SEPARATOR);
}

type OwnCondition = NonNullable<ProspectFilter['custom']>[string];

/** Names the conditions on own fields; before the list of fields is known, there is nothing to name them by. */
function ownConditions({ custom = {} }: ProspectFilter): Condition[] {
  const known = queryClient.getQueryData(ownFieldList.queryKey);
  return Object.entries(custom).map(([ownKey, wanted]) => {
    const field = known?.find(({ key }) => key === ownKey);
    const value = known === undefined ? own.unknown : ownValue(field, wanted);
    return { label: fieldName(known, ownKey), value, of: ['custom'], ownKey };
  });
}

function ownValue(field: OwnField | undefined, wanted: OwnCondition): string {
  if (typeof wanted !== 'string') return rangeText(wanted);
  if (field?.type === 'flag' || field?.type === 'url') {
    const words = field.type === 'url' ? presence : own.fields.answers;
    return wanted === 'yes' || wanted === 'no' ? words[wanted] : wanted;
  }
  if (field?.type !== 'choice') return wanted;
  const { options } = field;
  return wanted
    .split(',')
    .map((id) => labelIn(byId(options, id), own.goneOption, own.archivedOption))
    .join(LIST_SEPARATOR);
}

/** Names days with the first and the last that are found, and numbers with their exclusive bounds. */
function rangeText({ from = '', to = '' }: Exclude<OwnCondition, string>): string {
  if ([from, to].every((bound) => bound === '' || isDay(bound))) {
    const day = (bound: string, step: number) => (bound === '' ? '' : plainDay(addDays(bound, step)));
    return day(from, 1) + RANGE_SEPARATOR + day(to, -1);
  }
  return [from && bound(boundText(from), '', above), to && bound(boundText(to), '', below)].filter(Boolean).join(' ');
}

/** Loads the own fields and tags that conditionsOf() names, where a filter has any, and renders again with them. */
export function useConditionNames(filter: ProspectFilter): void {
  useQuery({ ...ownFieldList, enabled: filter.custom !== undefined, meta: { quiet: true } });
  useQuery({ ...tagList, enabled: TAG_FIELDS.some((field) => filter[field] !== undefined), meta: { quiet: true } });
}

export function conditionsOf(filter: ProspectFilter): Condition[] {
  const written = draftOf(filter);
  const terms = TERM_FIELDS.map((field) => ({ label: fields[field], value: written[field] ?? '', of: [field] }));
  const presences = PRESENCE_FIELDS.map((field) => {
    const wanted = filter[field];
    return { label: fields[field], value: wanted === undefined ? '' : presence[wanted], of: [field] };
  });
  const ranges = RANGE_FIELDS.map((field) => {
    const [from, to] = [`${field}_from`, `${field}_to`] as const;
    const bounds = [
      filter[from] === undefined ? [] : bound(written[from] ?? '', units[field], above),
      filter[to] === undefined ? [] : bound(written[to] ?? '', units[field], below),
    ];
    return { label: fields[field], value: bounds.flat().join(' '), of: [from, to] };
  });
  const tags = TAG_FIELDS.map((field) => {
    const ids = filter[field] ?? '';
    return {
      label: fields[field],
      value: ids === '' ? '' : own.tags.value(tagNames(ids), field),
      of: [field],
    };
  });
  const search = { label: fields.search, value: written.search ?? '', of: ['search'] as const };
  return [search, ...terms, ...presences, ...tags, ...ranges, ...ownConditions(filter)].filter(
    ({ value }) => value !== '',
  );
}
