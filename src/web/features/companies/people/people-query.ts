import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { CompanyPerson } from '#contract/companies/people.ts';
import { call, type InputOf } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { reloadCompany } from '../company-query.ts';
import { PEOPLE_MESSAGES as messages } from './words.ts';

export type PersonInfo = InputOf<'updatePerson'>['body']['update_info'];

/** Saves values of a person. @throws ApiError */
export async function putPerson({ id, version }: Pick<CompanyPerson, 'id' | 'version'>, update_info: PersonInfo) {
  return unwrap(await call('updatePerson', { params: { id: String(id) }, body: { version, update_info } }));
}

/** Returns how a person is named in sentences: by name, else by address, department or title. */
export const calledOf = ({
  name,
  email,
  department,
  title,
}: Pick<CompanyPerson, 'name' | 'email' | 'department' | 'title'>): string =>
  [name, email ?? '', department, title].find((text) => text !== '') ?? messages.noName;

/** Returns the same for what is said about the person: a name with さん. */
export const politeOf = (person: Parameters<typeof calledOf>[0]): string =>
  person.name === '' ? calledOf(person) : messages.polite(person.name);

export type PersonAct = keyof typeof messages.acts;

const CHANGES: Readonly<Record<PersonAct, PersonInfo>> = {
  makePrimary: { is_primary: 1 },
  notPrimary: { is_primary: 0 },
  archive: { archived: 1 },
  restore: { archived: 0 },
};

/** Makes somebody the 主担当 or not, and archives people, at one press. */
export function usePersonAct(companyId: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ person, act }: { person: CompanyPerson; act: PersonAct }) => putPerson(person, CHANGES[act]),
    onSuccess: (_answer, { person, act }) => toast('success', messages.done[act](politeOf(person))),
    // After a refusal too: another member may have changed the person.
    onSettled: () => reloadCompany(client, companyId),
  });
}
