import { viewAudit as viewCall } from '#contract/account/audit.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { viewAudit } from './view.queries.ts';

export function addAuditRoutes(addRoute: AddRoute, { now }: { readonly now: () => number }): void {
  addRoute(viewCall, ({ query, account }) => viewAudit(account, query, now()));
}
