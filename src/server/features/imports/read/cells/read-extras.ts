import type { OwnFieldType } from '#contract/companies/own-fields-names.ts';
import type { PersonImportField } from '#contract/imports/imports-names.ts';
import { withFirstZero } from '#domain/company/phone.ts';
import { MAX_EXTERNAL_ID_LENGTH, MAX_IMPORT_TAGS, MAX_NAME_LENGTH } from '#domain/limits.ts';
import { splitHonorific } from '#domain/mail/honorifics.ts';
import { meansBlank } from '#domain/text/blank-text.ts';
import { cleanCell } from '../../../cells/cell-text.ts';
import { type RowFault, shownValue } from '../faults.ts';
import type { CsvRecord } from '../read-records.ts';
import { PERSON_COLUMNS } from '../table/extra-headings.ts';
import { type CellColumn, readCell } from './check-row.ts';
import type { OwnCell, PersonCells, RowExtra } from './extra-row.ts';
import { parseNotice } from './publication-notice.ts';

/* Reads the cells of a row that are no company's own: its person, own fields, tags, our member, the id elsewhere. */

type Fault = { readonly fault: string };

/** An own field that a column fills. */
export interface OwnColumn {
  readonly index: number;
  readonly id: number;
  readonly label: string;
  readonly type: OwnFieldType;
  /** Reads a cell; of a choice the option's text. */
  readonly read: (cell: string) => OwnCell | null | Fault;
}

/** The columns of a file that are no company's own, as its account reads them. */
export interface ExtraPlan {
  readonly people: ReadonlyMap<PersonImportField, number>;
  readonly own: readonly OwnColumn[];
  readonly tagsAt: readonly number[];
  /** A tag of each company of the file. */
  readonly tag: string | null;
  readonly owner: { readonly index: number; readonly find: (cell: string) => number | null | Fault } | null;
  readonly externalAt: number | null;
  readonly latestYear: number;
  readonly keepsCutPhones: boolean;
}

export interface ReadExtra {
  readonly extra: RowExtra;
  readonly notes: readonly RowFault[];
}

const SEPARATOR = /[、,，\n]/;

const COLUMN_OF: ReadonlyMap<PersonImportField, CellColumn & { readonly label: string }> = new Map(
  PERSON_COLUMNS.map((column) => [column.field, column]),
);
/** An unreadable one is left blank: no mail needs it. */
const BLANKABLE: ReadonlySet<PersonImportField> = new Set<PersonImportField>(['person_phone', 'person_met_on']);

/** Reads the extra cells of a row. @returns the fault that refuses the row */
export function readExtras(record: CsvRecord, plan: ExtraPlan): ReadExtra | RowFault {
  const notes: RowFault[] = [];
  const blank = (column: string, cell: string, reason: string) =>
    notes.push({ kind: 'blanked', column, value: shownValue(cell), reason });
  const external = readExternal(cellAt(record, plan.externalAt));
  if (external !== null && typeof external === 'object') return external;
  const person = readPerson(record, plan, notes);
  if (person !== null && 'reason' in person) return person;
  const own = plan.own.map(({ index, label, read }) => {
    const cell = cellAt(record, index);
    const value = read(cell);
    if (value === null || typeof value !== 'object') return value;
    blank(label, cell, value.fault);
    return null;
  });
  const owner = plan.owner === null ? null : plan.owner.find(cellAt(record, plan.owner.index));
  const isUnknown = owner !== null && typeof owner === 'object';
  if (isUnknown) blank('自社担当', cellAt(record, plan.owner?.index ?? null), owner.fault);
  const tags = plan.tagsAt.flatMap((index) => labelsIn(cellAt(record, index)));
  return { extra: { externalId: external, person, own, tags, ownerId: isUnknown ? null : owner }, notes };
}

const cellAt = ({ cells }: CsvRecord, index: number | null): string => (index === null ? '' : (cells[index] ?? ''));

/** A longer label is none, and is told by its first characters. */
const MAX_LABEL_CHARACTERS = 2 * MAX_NAME_LENGTH + 2;

/**
 * The different labels of a cell, which are separated by 、 or a comma. No more than a company and a file may have, and
 * one: a cell may have 100,000.
 */
function labelsIn(cell: string): string[] {
  if (cell.trim() === '') return [];
  const text = cleanCell(cell, true) ?? '';
  const labels = new Set<string>();
  for (const one of text.split(SEPARATOR)) {
    // Its spaces stay as they are: a tag that was typed with others would be another one.
    const label = one.replaceAll('\t', ' ').trim();
    if (label === '' || meansBlank(label)) continue;
    labels.add(label.slice(0, MAX_LABEL_CHARACTERS).toWellFormed());
    if (labels.size > MAX_IMPORT_TAGS) break;
  }
  return [...labels];
}

function readExternal(cell: string): string | null | RowFault {
  if (cell.trim() === '') return null;
  const refused = (reason: string): RowFault => ({
    kind: 'refused',
    column: '外部ID',
    value: shownValue(cell),
    reason,
  });
  const text = cleanCell(cell);
  if (text === null) return refused('使えない文字（制御文字など）が含まれています。');
  if (text === '' || meansBlank(text)) return null;
  return text.length > MAX_EXTERNAL_ID_LENGTH ? refused(`長すぎます（上限${MAX_EXTERNAL_ID_LENGTH}文字）。`) : text;
}

/** Reads the person of a row. @returns null where no cell says anything about one */
function readPerson(record: CsvRecord, plan: ExtraPlan, notes: RowFault[]): PersonCells | null | RowFault {
  const values = new Map<PersonImportField, string>();
  for (const [field, index] of plan.people) {
    const read = readPersonCell(field, cellAt(record, index), plan);
    if (read === null) continue;
    if (typeof read === 'string') values.set(field, read);
    else if (read.kind === 'refused') return read;
    else notes.push(read);
  }
  const text = (field: PersonImportField) => values.get(field) ?? '';
  const person = {
    name: nameOf(text),
    department: text('person_department'),
    title: text('person_title'),
    email: values.get('person_email') ?? null,
    phone: phoneOf(values.get('person_phone') ?? null, plan),
    metOn: values.get('person_met_on') ?? null,
    isPrimary: parseNotice(cellAt(record, plan.people.get('person_is_primary') ?? null)) === 'refused',
  };
  if (person.name.length > MAX_NAME_LENGTH) return tooLong(person.name);
  return [person.name, person.department, person.title, person.email ?? '', person.phone ?? ''].some(Boolean)
    ? person
    : null;
}

/** Reads a cell of a person's column. @returns its text, or the reported fault */
function readPersonCell(field: PersonImportField, cell: string, { latestYear }: ExtraPlan): string | null | RowFault {
  const column = COLUMN_OF.get(field);
  if (column === undefined || field === 'person_is_primary' || cell === '') return null;
  const read = readCell(cell, column, '', latestYear);
  if (read === null || typeof read !== 'object') return read === null ? null : String(read);
  const isRefused = read.refusesRow || !BLANKABLE.has(field);
  return {
    kind: isRefused ? 'refused' : 'blanked',
    column: column.label,
    value: shownValue(cell),
    reason: read.fault,
  };
}

const tooLong = (name: string): RowFault => ({
  kind: 'refused',
  column: '氏名',
  value: shownValue(name),
  reason: `長すぎます（上限${MAX_NAME_LENGTH}文字）。`,
});

/** A name of 様 alone is none. */
function nameOf(text: (field: PersonImportField) => string): string {
  const name = text('person_name') || `${text('person_last_name')} ${text('person_first_name')}`.trim();
  return meansBlank(splitHonorific(name).name.trim()) ? '' : name;
}

/** Puts the 0 back that a spreadsheet took: a person's number has ten or eleven digits. */
const phoneOf = (phone: string | null, { keepsCutPhones }: ExtraPlan): string | null =>
  phone === null || keepsCutPhones ? phone : (withFirstZero(phone) ?? phone);
