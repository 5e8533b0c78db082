import { labelKey } from '#domain/company/own-label.ts';
import type { InputOf } from '#web/lib/api/call.ts';
import { setDraft, useSession } from '#web/lib/session/session-store.ts';
import type { Look, Reading } from '../import-query.ts';
import { IMPORT_MESSAGES } from '../words.ts';
import { COLUMN_MESSAGES } from './words.ts';

type CheckSettings = InputOf<'checkImport'>['body']['add_info'];
type LookColumn = Look['columns'][number];
export type ImportField = NonNullable<LookColumn['field']>;
export type MoneyUnit = LookColumn['unit'];

/** The fields that several columns may have. */
const MANY: readonly ImportField[] = ['address', 'tags'];

/** An own field that the import makes. */
export type NewField = NonNullable<LookColumn['new_field']>;

/** The field of one column; null: it is not imported. */
export interface Choice {
  readonly field: ImportField | null;
  readonly unit: MoneyUnit;
  /** The own field, if it is one that there is. */
  readonly custom_field_id?: number | undefined;
  /** The own field to make, if it is another. */
  readonly new_field?: NewField | undefined;
}

/** The longest name of an own field. */
export const MAX_LABEL = 100;

/** The user's choices for one import, which override the server's proposals. */
export interface ImportDraft {
  readonly reading: Reading;
  /** The changed columns, by position. */
  readonly columns: Readonly<Record<number, Choice>>;
  readonly remember: boolean;
  /** The sender group that gets the remarks; null: the current one. */
  readonly groupId: number | null;
  /** The tag that all companies of the file get, as typed; null: none. */
  readonly tag: string | null;
}

const EMPTY: ImportDraft = { reading: {}, columns: {}, remember: true, groupId: null, tag: null };

/** The fields that a person can choose by name alone: an own field also needs its definition. */
export const FIELDS = (Object.keys(IMPORT_MESSAGES.fields) as ImportField[]).filter((field) => field !== 'own');
const MONEY_FIELDS: readonly (ImportField | null)[] = ['amount_of_sales', 'ordinary_profit', 'capital'];
export const UNITS = Object.keys(COLUMN_MESSAGES.units) as MoneyUnit[];

export const isMoney = (field: ImportField | null): boolean => MONEY_FIELDS.includes(field);

const draftName = (id: number): string => `import-${id}`;

/** Reads and changes the draft of an import, which lasts as long as the session. */
export function useImportDraft(id: number) {
  const stored = useSession(({ drafts }) => drafts[draftName(id)]);
  const draft: ImportDraft =
    stored === undefined ? EMPTY : { ...EMPTY, ...(JSON.parse(stored) as Partial<ImportDraft>) };
  return {
    draft,
    change: (part: Partial<ImportDraft>) => setDraft(draftName(id), JSON.stringify({ ...draft, ...part })),
  };
}

/** Deletes the draft of an import that no longer needs it, so that a logout does not ask about it. */
export const forgetImportDraft = (id: number): void => setDraft(draftName(id), null);

/** Returns the choice for each column: the user's, or else the proposed one. */
export const chosenColumns = (columns: readonly LookColumn[], draft: Pick<ImportDraft, 'columns'>): Choice[] =>
  columns.map(({ index, field, unit, custom_field_id, new_field }) => {
    const chosen = draft.columns[index] ?? { field, unit, custom_field_id, new_field };
    // '' also means yen.
    return {
      ...chosen,
      unit: chosen.unit === COLUMN_MESSAGES.yen || !isMoney(chosen.field) ? '' : chosen.unit,
    };
  });

/** What the selection of a column's field says: its field, one of our own, or a new one of our own. */
export const selectedValue = ({ field, custom_field_id: id }: Choice): string =>
  field === 'own' ? (id == null ? NEW : OWN + id) : (field ?? '');
const OWN = 'own:';
export const NEW = 'new';
export const ownValue = (id: number): string => OWN + id;

/** Returns the choice that a value of the selection stands for. */
export function choiceOf(value: string, { unit }: Choice, column: Pick<LookColumn, 'heading' | 'new_field'>): Choice {
  if (value === NEW) {
    const made = column.new_field ?? { label: column.heading.slice(0, MAX_LABEL), type: 'text' as const };
    return { field: 'own', unit, new_field: made };
  }
  if (value.startsWith(OWN)) return { field: 'own', unit, custom_field_id: Number(value.slice(OWN.length)) };
  return { field: value === '' ? null : (value as ImportField), unit };
}

/** The groups of a file's columns, in their order on screen. */
export const GROUPS = ['company', 'person', 'own'] as const;
type Group = (typeof GROUPS)[number];

/** Returns the columns in their groups, by their place; a file of companies alone has no groups. */
export function groupedPlaces(columns: readonly LookColumn[]): readonly (readonly [Group | null, readonly number[]])[] {
  const places = columns.map((_, place) => place);
  if (!columns.some(({ group }) => group === 'person' || group === 'own')) return [[null, places]];
  // A column that nothing is proposed for stands where it would be a new field.
  const groupAt = (place: number): Group => columns[place]?.group ?? 'own';
  return GROUPS.map((group) => [group, places.filter((place) => groupAt(place) === group)] as const).filter(
    ([, found]) => found.length > 0,
  );
}

/** Returns the tag that all companies get; undefined: a file of companies alone has none, whatever was typed before. */
export const chosenTag = (columns: readonly LookColumn[], { tag }: Pick<ImportDraft, 'tag'>) =>
  groupedPlaces(columns).length > 1 ? tag : undefined;

export type NewFieldFaults = Partial<Record<'label' | 'key', string>>;

/** Returns what is wrong with a field to make. */
export function newFieldFaults({ field, custom_field_id: id, new_field: made }: Choice): NewFieldFaults {
  if (field !== 'own' || id != null || made === undefined) return {};
  const { label, key } = made;
  return {
    ...(label.trim() === '' && { label: COLUMN_MESSAGES.newField.labelMissing }),
    ...(key !== undefined && !/^[a-z][a-z0-9_]*$/.test(key) && { key: COLUMN_MESSAGES.newField.keyWrong }),
  };
}

/** What no two columns may have: a field, one of our own, or the name of a new one. */
function placeOf({ field, custom_field_id: id, new_field: made }: Choice): string | null {
  if (field === null || MANY.includes(field)) return null;
  return field === 'own' ? (id == null ? labelKey(made?.label ?? '') : ownValue(id)) : field;
}

interface ColumnFaults {
  /** Whether no column is the company's name. */
  readonly isNameMissing: boolean;
  /** The positions of columns that have the same field as another. Only an address may have several columns. */
  readonly twice: ReadonlySet<number>;
}

export function columnFaults(choices: readonly Choice[]): ColumnFaults {
  const places = Map.groupBy(choices.entries(), ([, choice]) => placeOf(choice));
  const twice = [...places].flatMap(([place, found]) =>
    place === null || found.length < 2 ? [] : found.map(([index]) => index),
  );
  return { isNameMissing: !places.has('company_name'), twice: new Set(twice) };
}

/** The sender groups, one of which gets the remarks of a file. */
export interface RemarksGroups {
  readonly all: readonly RemarksGroup[];
  /** The current group. */
  readonly current: RemarksGroup | undefined;
}

interface RemarksGroup {
  readonly id: number;
  readonly group_name: string;
}

/** Returns the group that gets the remarks of a file: the chosen one, or else the current one. */
export const remarksGroup = ({ all, current }: RemarksGroups, { groupId }: Pick<ImportDraft, 'groupId'>) =>
  all.find(({ id }) => id === groupId) ?? current;

/**
 * Returns the settings of a check. Without a chosen encoding the server reads the whole file to detect it.
 * @param groupId the group that gets the remarks of the file
 */
export function checkSettings(look: Look, draft: ImportDraft, groupId: number | undefined): CheckSettings {
  const columns = chosenColumns(look.columns, draft).flatMap(
    ({ field, unit, custom_field_id: id, new_field }, place) => {
      const index = look.columns[place]?.index;
      if (field === null || index === undefined) return [];
      const own = id == null ? { ...(new_field && { new_field }) } : { custom_field_id: id };
      return [{ index, field, unit, ...(field === 'own' && own) }];
    },
  );
  const { encoding } = draft.reading;
  const tag = chosenTag(look.columns, draft);
  return {
    ...(encoding !== undefined && { encoding }),
    ...(look.sheet !== null && { sheet: look.sheet }),
    ...(columns.some(({ field }) => field === 'remarks') && { sender_group_id: groupId }),
    ...(tag != null && { tag: tag.trim() }),
    table: { separator: look.separator, header_row: look.header_row, columns },
    ...(draft.remember && look.heading.length > 0 && { remember: 1 as const }),
  };
}
