import * as calls from '#contract/companies/saved-conditions.ts';
import { createOnce } from '../../platform/database/create-once.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { addCondition, updateCondition } from './saved-condition.command.ts';
import { countConditions, listConditions } from './saved-condition.queries.ts';

export function addSavedConditionRoutes(addRoute: AddRoute): void {
  addRoute(calls.listSavedConditions, ({ query, account }) => listConditions(account, query));

  addRoute(calls.countSavedConditions, ({ query, account }) => countConditions(account, query));

  addRoute(calls.addSavedCondition, ({ headers, body, account }) => {
    const request = { call: calls.addSavedCondition, key: headers['idempotency-key'], input: body };
    return createOnce(account, request, (tx) => addCondition(tx, account, body.add_info));
  });

  addRoute(calls.updateSavedCondition, ({ params, body, account }) => updateCondition(account, params.id, body));
}
