import { MAX_PEOPLE_OF_COMPANY } from '#domain/limits.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { PersonValues } from './people.queries.ts';
import { findSamePerson } from './person-key.ts';
import {
  type CompanyPeople,
  keyOf,
  lockWithPeople,
  type PeopleScope,
  type Person,
  storePeople,
} from './store-people.queries.ts';

/** An entry about a person of a company. Its values are as they are stored. */
export interface PersonWrite {
  readonly prospectId: number;
  /** The person whose values these are. Without it, the same person is found (isSamePerson), or one is added. */
  readonly id?: number;
  readonly name?: string;
  readonly department?: string;
  readonly title?: string;
  readonly phone?: string | null;
  /** YYYY-MM-DD */
  readonly metOn?: string | null;
  readonly email?: string | null;
  readonly archived?: boolean;
  readonly isPrimary?: boolean;
}

export interface WrittenPerson {
  readonly prospectId: number;
  /** null: `too_many`. */
  readonly id: number | null;
  readonly result: 'added' | 'updated' | 'unchanged' | 'too_many';
}

const NO_VALUES: PersonValues = { name: '', department: '', title: '', email: null, phone: null, met_on: null };

/**
 * The one writer of people and of each company's 主担当 (decisions/people). Locks the companies first, and records in
 * their history what changes.
 * An entry with an id overwrites the given values. One without an id goes to the same person, whose values its blanks
 * keep, or adds one. The first person of a company becomes its 主担当; after an import, setPrimaries() does that.
 * @returns a result for each entry, in their order
 * @throws if the company or the id is not known: callers look first
 */
export async function writePeople(
  tx: Tx,
  scope: PeopleScope,
  writes: readonly PersonWrite[],
): Promise<readonly WrittenPerson[]> {
  const ids = writes.map(({ prospectId }) => prospectId);
  const companies = await lockWithPeople(tx, scope, ids);
  const applied = writes.map((write) => {
    const company = companies.get(write.prospectId);
    if (!company) throw new Error(`company ${write.prospectId} is not of account ${scope.accountId}`);
    return { write, ...apply(company, write, scope.kind === 'imported') };
  });
  await storePeople(tx, scope, [...companies.values()]);
  return applied.map(({ write, place, company, result }) => ({
    prospectId: write.prospectId,
    id: place === null ? null : (company.people[place]?.id ?? null),
    result,
  }));
}

type Applied = {
  readonly company: CompanyPeople;
  readonly place: number | null;
  readonly result: WrittenPerson['result'];
};

/** Applies an entry to a company in memory. */
function apply(company: CompanyPeople, write: PersonWrite, isImport: boolean): Applied {
  const values = valuesOf(write);
  const found = findPlace(company, write, values);
  if (found === null && company.people.length >= MAX_PEOPLE_OF_COMPANY) {
    return { company, place: null, result: 'too_many' };
  }
  const present = found === null ? null : (company.people[found] ?? null);
  const isFirst = !isImport && company.people.every(({ state }) => state.archived);
  const person = written(present, write, values);
  const place = found ?? company.people.length;
  company.people[place] = person;
  const wasPrimary = present !== null && company.primary === present;
  setPrimary(company, person, { wasPrimary, isPrimary: write.isPrimary ?? (present === null ? isFirst : wasPrimary) });
  if (present === null) return { company, place, result: 'added' };
  const isUpdated = person !== present || wasPrimary !== (company.primary === person);
  return { company, place, result: isUpdated ? 'updated' : 'unchanged' };
}

function setPrimary(company: CompanyPeople, person: Person, is: { wasPrimary: boolean; isPrimary: boolean }): void {
  if (is.isPrimary && !person.state.archived) company.primary = person;
  else if (is.wasPrimary) company.primary = null;
}

/** Returns a person with an entry's values; the same one where none differs. */
function written(present: Person | null, write: PersonWrite, values: Partial<PersonValues>): Person {
  const { state: before = { ...NO_VALUES, archived: false }, id = null, stored = null } = present ?? {};
  const given = write.id === undefined ? withoutBlanks(values) : values;
  const state = { ...before, ...given, archived: write.archived ?? before.archived };
  return present !== null && isEqual(before, state) ? present : { ...keyOf(state), id, state, stored };
}

/** Returns the given values, by their columns. */
function valuesOf({ name, department, title, email, phone, metOn }: PersonWrite): Partial<PersonValues> {
  const given = { name, department, title, email, phone, met_on: metOn };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

const withoutBlanks = (values: Partial<PersonValues>): Partial<PersonValues> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== ''));

/** Finds the place of an entry's person among the company's. @returns null: it is a new one */
function findPlace(company: CompanyPeople, { id }: PersonWrite, values: Partial<PersonValues>): number | null {
  if (id === undefined) {
    const same = findSamePerson(company.people, keyOf({ ...NO_VALUES, ...values }));
    return same === undefined ? null : company.people.indexOf(same);
  }
  const place = company.people.findIndex((person) => person.id === id);
  if (place < 0) throw new Error(`person ${id} is not of company ${company.id}`);
  return place;
}

const isEqual = (a: Person['state'], b: Person['state']): boolean =>
  (Object.keys(a) as (keyof Person['state'])[]).every((column) => a[column] === b[column]);
