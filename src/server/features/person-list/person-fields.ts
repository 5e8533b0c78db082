import { PERSON_FIELDS, type PersonField } from '#contract/companies/people.ts';
import { MAX_NAME_LENGTH, MAX_PHONE_LENGTH } from '#domain/limits.ts';
import { splitHonorific } from '#domain/mail/honorifics.ts';
import { meansBlank } from '#domain/text/blank-text.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { Problem } from '../../platform/problem.ts';
import { type CellColumn, readCell } from '../imports/read/cells/check-row.ts';
import type { PersonValues } from '../people/people.queries.ts';

const COLUMNS: Readonly<Record<PersonField, CellColumn>> = {
  name: { kind: 'text', maxLength: MAX_NAME_LENGTH },
  department: { kind: 'text', maxLength: MAX_NAME_LENGTH },
  title: { kind: 'text', maxLength: MAX_NAME_LENGTH },
  email: { kind: 'email' },
  phone: { kind: 'phone', maxLength: MAX_PHONE_LENGTH },
  met_on: { kind: 'day' },
};

/** Values as typed; a missing field keeps its value. */
type Written = { readonly [Field in PersonField]?: string | null | undefined };

const NO_VALUES: PersonValues = { name: '', department: '', title: '', email: null, phone: null, met_on: null };

/**
 * Reads typed values by the rules of the import's cells (imports/read/cells/check-row.ts).
 * @param place the object of the body: `add_info` or `update_info`
 * @param present the person's current values; absent: a new person
 * @param now epoch milliseconds
 * @returns the values as they are stored; or 400 with each fault at its field
 */
export function readPerson(
  written: Written,
  { place, present = NO_VALUES, now }: { place: string; present?: PersonValues; now: number },
): PersonValues | Problem {
  const values: Record<PersonField, string | null> = { ...present };
  const faults: { path: string; message: string }[] = [];
  const latestYear = Number(dayOf(now).slice(0, 4));
  for (const field of PERSON_FIELDS) {
    const given = written[field];
    if (given === undefined) continue;
    const read = readCell(given ?? '', COLUMNS[field], '', latestYear);
    if (read !== null && typeof read === 'object') faults.push({ path: `${place}.${field}`, message: read.fault });
    else values[field] = read === null ? null : String(read);
  }
  const { name, department, title, email, phone, met_on } = values;
  const person = { name: nameIn(name), department: department ?? '', title: title ?? '', email, phone, met_on };
  if (faults.length === 0 && !isSomebody(person)) {
    faults.push({
      path: `${place}.name`,
      message: '氏名・部署・役職・担当者メール・電話番号のどれかを入力してください。',
    });
  }
  const [first] = faults;
  return first ? new Problem('invalid_person', first.message, undefined, faults) : person;
}

/** A name of 様 alone is none. */
const nameIn = (name: string | null): string =>
  name === null || meansBlank(splitHonorific(name).name.trim()) ? '' : name;

/** As the table's CHECK. */
const isSomebody = ({ name, department, title, email, phone }: PersonValues): boolean =>
  name !== '' || department !== '' || title !== '' || email !== null || phone !== null;
