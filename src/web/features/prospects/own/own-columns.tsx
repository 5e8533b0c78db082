import { useQuery } from '@tanstack/react-query';
import { Fragment, useEffect, useEffectEvent } from 'react';
import { PRIMARY_COLUMN, TAGS_COLUMN } from '#contract/companies/own-fields-names.ts';
import type { Column } from '#web/components/data-table/column.ts';
import { textWidth } from '#web/components/data-table/tracks.ts';
import { Tag } from '#web/components/inline/tag.tsx';
import { WebLink } from '#web/components/inline/web-link.tsx';
import { inUse, type OwnField, ownFieldList, tagList } from '#web/lib/data/own/own-fields.ts';
import { ownText } from '#web/lib/data/own/own-value.ts';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { useSession } from '#web/lib/session/session-store.ts';
import { type ColumnLayout, OWN, shownOwn } from '../column-layout.ts';
import type { ListedProspect } from '../view-prospects.ts';
import { OWN_LIST_MESSAGES } from './words.ts';

const { columns: messages, flags } = OWN_LIST_MESSAGES;

type OwnColumn = Column<ListedProspect>;

interface Props {
  readonly layout: ColumnLayout;
  readonly onLayout: (change: Partial<ColumnLayout>) => void;
  /** Takes the columns that the account has besides those of all accounts. */
  readonly onColumns: (columns: readonly OwnColumn[]) => void;
}

/** Loads the account's own columns of the list. Renders nothing. */
export default function OwnColumns({ layout, onLayout, onColumns }: Props) {
  const { data: fields, isFetching } = useQuery(ownFieldList);
  const { data: tags } = useQuery(tagList);
  const shown = shownOwn(layout);
  const hasPrimaries = useSession(({ current_user }) => current_user?.has_primary_email === 1);
  const hasPrimary = hasPrimaries || shown.includes(PRIMARY_COLUMN);
  const hasTags = inUse(tags).length > 0 || shown.includes(TAGS_COLUMN);

  useEffect(() => {
    if (fields === undefined) return;
    onColumns([...(hasPrimary ? [PRIMARY] : []), ...(hasTags ? [TAGS] : []), ...inUse(fields).map(fieldColumn)]);
  }, [fields, hasPrimary, hasTags, onColumns]);

  // A browser keeps its columns for longer than a field is used: such a one takes no place among the most.
  const dropUnused = useEffectEvent((used: readonly OwnField[]) => {
    const known = [PRIMARY_COLUMN, TAGS_COLUMN, ...inUse(used).map(({ key }) => key)];
    const unused = shown.filter((name) => !known.includes(name)).map((name) => OWN + name);
    if (unused.length > 0) onLayout({ optional: layout.optional.filter((id) => !unused.includes(id)) });
  });
  useEffect(() => {
    // Older answers lack the fields of an import.
    if (fields !== undefined && !isFetching) dropUnused(fields);
  }, [fields, isFetching]);
  return null;
}

const ownColumn = (name: string, details: Omit<OwnColumn, 'id' | 'isUnsortable' | 'isOptional'>): OwnColumn => ({
  id: OWN + name,
  isUnsortable: true,
  isOptional: true,
  ...details,
});

const labelsOf = ({ tags = [] }: ListedProspect): string => tags.map(({ label }) => label).join(LIST_SEPARATOR);

const TAGS = ownColumn(TAGS_COLUMN, {
  header: messages.tags,
  width: 190,
  titleOf: labelsOf,
  render: ({ tags = [] }) =>
    tags.length === 0 ? (
      ''
    ) : (
      <span>
        {tags.map(({ id, label, colour }, place) => (
          <Fragment key={id}>
            {place > 0 ? ' ' : null}
            <Tag label={label} colour={colour} />
          </Fragment>
        ))}
      </span>
    ),
});

const PRIMARY = ownColumn(PRIMARY_COLUMN, {
  header: messages.primary,
  width: 200,
  render: ({ primary }) =>
    [primary?.name, primary?.department, primary?.title].filter((part) => (part ?? '') !== '').join(' '),
});

const WIDTHS: Readonly<Record<OwnField['type'], number>> = {
  text: 180,
  number: 125,
  date: 118,
  choice: 118,
  flag: 90,
  url: 205,
};

/** What a header has beside its text, and the largest width that a text leads to, in px. */
const HEADER = { rest: 30, most: 260 };

/** Returns the column of an own field, wide enough for its label, its options and usual values. */
function fieldColumn({ key, label, type, options }: OwnField): OwnColumn {
  const text = ({ custom }: ListedProspect) => ownText(type, custom?.[key], flags);
  const widest = Math.max(...[label, ...options.map((option) => option.label)].map(textWidth));
  return ownColumn(key, {
    header: label,
    width: Math.max(WIDTHS[type], Math.min(HEADER.most, HEADER.rest + Math.ceil(widest))),
    ...(type === 'number' && { kind: 'number' }),
    render: type === 'url' ? (prospect) => <WebLink url={text(prospect)} /> : text,
  });
}
