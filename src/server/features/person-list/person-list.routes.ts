import { checkPerson, createPerson, findPeople, updatePerson } from '#contract/companies/people.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import type { PeopleMax } from '../people/people-max.queries.ts';
import { readCheck, readFound } from './person-list.queries.ts';
import { addPerson, editPerson } from './save-person.command.ts';

export function addPersonRoutes(
  addRoute: AddRoute,
  { now, peopleMax }: PeopleMax & { readonly now: () => number },
): void {
  addRoute(createPerson, ({ body, headers, account }) =>
    addPerson(account, { body, key: headers['idempotency-key'], peopleMax }, now()),
  );

  addRoute(updatePerson, ({ params, body, account }) => editPerson(account, params.id, body, now()));

  addRoute(checkPerson, ({ query, account }) => readCheck(account, query));

  addRoute(findPeople, ({ query, account }) => readFound(account, query.text));
}
