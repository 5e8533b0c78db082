import type { ProspectFilter } from '#contract/companies/prospects-filter.ts';
import { PRESENCE_FIELDS, RANGE_FIELDS, TAG_FIELDS, TERM_FIELDS } from '#web/lib/address/params.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { type OwnField, ownFieldList, tagList } from '#web/lib/data/own-fields.ts';
import { count, LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { draftOf, type FilterField } from './filter-draft.ts';
import { FILTER_MESSAGES } from './words.ts';

const { fields, presence, units, above, below, bound } = FILTER_MESSAGES;

/** A condition of the filter as text. */
interface Condition {
  readonly label: string;
  readonly value: string;
  /** The key of its own field. */
  readonly ownKey?: string;
  /** The fields of the condition. */
  readonly of: readonly FilterField[];
}

/** Returns the names of the chosen tags; their number, where the list of tags was not loaded yet. */
function tagNames(written: string): string {
  const ids = written.split(',');
  const tags = queryClient.getQueryData(tagList.queryKey);
  if (tags === undefined) return count(ids.length);
  const nameOf = new Map(tags.map(({ id, label }) => [String(id), label]));
  return ids.map((id) => nameOf.get(id) ?? FILTER_MESSAGES.tags.gone).join(LIST_SEPARATOR);
}

type OwnCondition = NonNullable<ProspectFilter['custom']>[string];

/** Names the conditions on own fields; by their keys, where the list of fields was not loaded yet. */
function ownConditions({ custom = {} }: ProspectFilter): Condition[] {
  const known = queryClient.getQueryData(ownFieldList.queryKey);
  return Object.entries(custom).map(([ownKey, wanted]) => {
    const field = known?.find(({ key }) => key === ownKey);
    return { label: field?.label ?? ownKey, value: ownValue(field, wanted), of: ['custom'], ownKey };
  });
}

function ownValue(field: OwnField | undefined, wanted: OwnCondition): string {
  if (typeof wanted !== 'string') {
    const { from, to } = wanted;
    return [from && bound(from, '', above), to && bound(to, '', below)].filter(Boolean).join(' ');
  }
  if (field?.type === 'flag' || field?.type === 'url') {
    const words = field.type === 'url' ? presence : FILTER_MESSAGES.flags;
    return wanted === 'yes' || wanted === 'no' ? words[wanted] : wanted;
  }
  if (field?.type !== 'choice') return wanted;
  const nameOf = new Map(field.options.map(({ id, label }) => [String(id), label]));
  return wanted
    .split(',')
    .map((id) => nameOf.get(id) ?? FILTER_MESSAGES.goneOption)
    .join(LIST_SEPARATOR);
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
      value: ids === '' ? '' : FILTER_MESSAGES.tags.value(tagNames(ids), field),
      of: [field],
    };
  });
  const search = { label: fields.search, value: written.search ?? '', of: ['search'] as const };
  return [search, ...terms, ...presences, ...tags, ...ranges, ...ownConditions(filter)].filter(
    ({ value }) => value !== '',
  );
}
