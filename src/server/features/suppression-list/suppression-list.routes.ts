import {
  addSuppressions,
  importSuppressions,
  liftSuppression,
  viewSuppressions as viewCall,
} from '#contract/answers/suppressions.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { addForMember } from './add.command.ts';
import { importForMember } from './import.command.ts';
import { liftForMember } from './lift.command.ts';
import { viewSuppressions } from './view.queries.ts';

export function addSuppressionRoutes(addRoute: AddRoute, { now }: { readonly now: () => number }): void {
  addRoute(viewCall, ({ query, account }) => viewSuppressions(account, query));

  addRoute(addSuppressions, ({ body, headers, account }) =>
    addForMember(account, { body, key: headers['idempotency-key'] }),
  );

  addRoute(importSuppressions, ({ query, bytes, account }) => importForMember(account, bytes, query));

  addRoute(liftSuppression, ({ params, body, account }) => liftForMember(account, params.id, body.update_info, now()));
}
