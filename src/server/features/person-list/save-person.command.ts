import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import { createPerson, type updatePerson } from '#contract/companies/people.ts';
import { MAX_PEOPLE_OF_COMPANY } from '#domain/limits.ts';
import { personAddressee } from '#domain/mail/addressee.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { changedMeanwhile } from '../../platform/database/content-version.ts';
import { createOnce } from '../../platform/database/create-once.ts';
import type { Tx } from '../../platform/database/db.ts';
import { shareAccount } from '../../platform/database/lock-account.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { type PersonValues, versionOfPerson } from '../people/people.queries.ts';
import { type PeopleMax, peopleFault } from '../people/people-max.queries.ts';
import { findSamePerson } from '../people/person-key.ts';
import { type CompanyPeople, keyOf, lockWithPeople } from '../people/store-people.queries.ts';
import { type PersonWrite, writePeople } from '../people/write-people.command.ts';
import { readPerson } from './person-fields.ts';
import { lastPersonChange, readCompanyOf } from './person-list.queries.ts';

/** Adds a person to a company. @param now epoch milliseconds @returns 400, 404 or 409 */
export function addPerson(
  account: MemberDb,
  { body, key, peopleMax }: PeopleMax & { body: z.output<(typeof createPerson)['body']>; key: string | undefined },
  now: number,
): Promise<CallAnswer<typeof createPerson> | Problem> {
  const { prospect_id: prospectId, is_primary, ...written } = body.add_info;
  const values = readPerson(written, { place: 'add_info', now });
  if (values instanceof Problem) return Promise.resolve(values);
  const { id: accountId, memberId } = account;
  return createOnce(account, { call: createPerson, key, input: body }, async (tx) => {
    const company = await lockCompany(tx, accountId, prospectId);
    if (!company) return notFound();
    const same = findSamePerson(company.people, keyOf(values));
    if (same) return samePerson(same, 'add_info');
    if (company.people.length >= MAX_PEOPLE_OF_COMPANY) return companyFull();
    const full = await peopleFault(tx, accountId, peopleMax, { toCome: 1 });
    if (full) return full;
    const write = { ...writeOf(prospectId, values), ...(is_primary !== undefined && { isPrimary: is_primary === 1 }) };
    const [added] = await writePeople(tx, { accountId, memberId, kind: 'edited' }, [write]);
    const id = Number(added?.id);
    const detail = { prospect_id: prospectId, person_id: id };
    await recordAudit(tx, { accountId, memberId, kind: 'person_added', detail });
    return { status: 'added' as const, id, version: versionOfPerson({ ...values, archived: false }) };
  });
}

/**
 * Saves edited values, unless the person has changed since `version`.
 * A repeated save of the same values succeeds without a change.
 * @param now epoch milliseconds
 * @returns 400, 404 or 409
 */
export function editPerson(
  account: MemberDb,
  id: number,
  { version, update_info }: z.output<(typeof updatePerson)['body']>,
  now: number,
): Promise<CallAnswer<typeof updatePerson> | Problem> {
  const { id: accountId, memberId } = account;
  const { is_primary, archived, ...written } = update_info;
  return account.transaction(async (tx) => {
    const found = await lockPerson(tx, accountId, id);
    if (!found) return notFound();
    const { company, person } = found;
    const values = readPerson(written, { place: 'update_info', present: person.state, now });
    if (values instanceof Problem) return values;
    const next = { ...values, archived: archived === undefined ? person.state.archived : archived === 1 };
    if (next.archived && is_primary === 1) return archivedPrimary();
    const nextVersion = versionOfPerson(next);
    const isChanged = nextVersion !== versionOfPerson(person.state);
    if (isChanged && version !== versionOfPerson(person.state)) return personChanged(tx, accountId, company.id, id);
    const others = company.people.filter((one) => one !== person);
    const same = isChanged ? findSamePerson(others, keyOf(values)) : undefined;
    if (same) return samePerson(same, 'update_info');
    const write = {
      ...writeOf(company.id, values),
      id,
      archived: next.archived,
      ...(is_primary !== undefined && { isPrimary: is_primary === 1 }),
    };
    const [result] = await writePeople(tx, { accountId, memberId, kind: 'edited' }, [write]);
    if (result?.result === 'updated') {
      const detail = { prospect_id: company.id, person_id: id };
      await recordAudit(tx, { accountId, memberId, kind: 'person_changed', detail });
    }
    return { status: 'updated', id, version: nextVersion };
  });
}

/** Locks a company with its people. Without the account's lock an erasure would miss the new address. */
async function lockCompany(tx: Tx, accountId: number, prospectId: number): Promise<CompanyPeople | undefined> {
  await shareAccount(tx, accountId);
  return (await lockWithPeople(tx, { accountId }, [prospectId])).get(prospectId);
}

async function lockPerson(tx: Tx, accountId: number, id: number) {
  const prospectId = await readCompanyOf(tx, accountId, id);
  const company = prospectId === undefined ? undefined : await lockCompany(tx, accountId, prospectId);
  const person = company?.people.find((one) => one.id === id);
  return company && person ? { company, person } : undefined;
}

const writeOf = (prospectId: number, { met_on, ...values }: PersonValues): PersonWrite => {
  const { name, department, title, email, phone } = values;
  return { prospectId, name, department, title, email, phone, metOn: met_on };
};

/** Refuses a second entry of a person. `details` name the person, as `id` and `name`. */
function samePerson({ id, state }: CompanyPeople['people'][number], place: string): Problem {
  const name = state.name || personAddressee(state) || (state.email ?? state.phone ?? '');
  const message = `この会社に、同じ人がいます（${name}${state.archived ? '、宛先から外した人' : ''}）。`;
  const details = { [`${place}.name`]: message, id: String(id), name };
  return new Problem(
    'same_person',
    message,
    undefined,
    Object.entries(details).map(([path, text]) => ({ path, message: text })),
  );
}

const companyFull = () =>
  new Problem(
    'too_many_people',
    `1社に登録できるのは${MAX_PEOPLE_OF_COMPANY}人までです（宛先から外した人も数えます）。`,
  );

const archivedPrimary = () =>
  new Problem('invalid_person', '宛先から外した人は主担当にできません。', undefined, [
    { path: 'update_info.is_primary', message: '宛先から外した人は主担当にできません。' },
  ]);

/** Returns 409 with the member who changed the person, and when. */
async function personChanged(tx: Tx, accountId: number, prospectId: number, id: number): Promise<Problem> {
  const last = await lastPersonChange(tx, accountId, prospectId, id);
  return changedMeanwhile('person_changed', { by: last?.name, at: last?.at });
}
