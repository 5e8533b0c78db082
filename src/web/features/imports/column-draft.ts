import type { InputOf } from '#web/lib/api/call.ts';
import { setDraft, useSession } from '#web/lib/session/session-store.ts';
import type { Look, Reading } from './import-query.ts';
import { COLUMN_MESSAGES, IMPORT_MESSAGES } from './words.ts';

type CheckSettings = InputOf<'checkImport'>['body']['add_info'];
type LookColumn = Look['columns'][number];
export type ImportField = NonNullable<LookColumn['field']>;
export type MoneyUnit = LookColumn['unit'];

/** The fields that several columns may have. */
const MANY: readonly ImportField[] = ['address', 'own', 'tags'];

/** The field of one column; null: it is not imported. */
export interface Choice {
  readonly field: ImportField | null;
  readonly unit: MoneyUnit;
}

/** The user's choices for one import, which override the server's proposals. */
export interface ImportDraft {
  readonly reading: Reading;
  /** The changed columns, by position. */
  readonly columns: Readonly<Record<number, Choice>>;
  readonly remember: boolean;
  /** The sender group that gets the remarks; null: the current one. */
  readonly groupId: number | null;
}

const EMPTY: ImportDraft = { reading: {}, columns: {}, remember: true, groupId: null };

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
  columns.map(({ index, field, unit }) => {
    const chosen = draft.columns[index] ?? { field, unit };
    // '' also means yen.
    return {
      field: chosen.field,
      unit: chosen.unit === COLUMN_MESSAGES.yen || !isMoney(chosen.field) ? '' : chosen.unit,
    };
  });

interface ColumnFaults {
  /** Whether no column is the company's name. */
  readonly isNameMissing: boolean;
  /** The positions of columns that have the same field as another. Only an address may have several columns. */
  readonly twice: ReadonlySet<number>;
}

export function columnFaults(choices: readonly Choice[]): ColumnFaults {
  const places = Map.groupBy(choices.keys(), (index) => choices[index]?.field ?? null);
  const twice = [...places].flatMap(([field, found]) =>
    field === null || MANY.includes(field) || found.length < 2 ? [] : found,
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
  const columns = chosenColumns(look.columns, draft).flatMap(({ field, unit }, place) => {
    const column = look.columns[place];
    if (field === null || column === undefined) return [];
    const { index, custom_field_id: ownId, new_field: newField } = column;
    const own = ownId == null ? { ...(newField && { new_field: newField }) } : { custom_field_id: ownId };
    return [{ index, field, unit, ...(field === 'own' && own) }];
  });
  const { encoding } = draft.reading;
  return {
    ...(encoding !== undefined && { encoding }),
    ...(look.sheet !== null && { sheet: look.sheet }),
    ...(columns.some(({ field }) => field === 'remarks') && { sender_group_id: groupId }),
    table: { separator: look.separator, header_row: look.header_row, columns },
    ...(draft.remember && look.heading.length > 0 && { remember: 1 as const }),
  };
}
