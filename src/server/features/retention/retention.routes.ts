import { updateMailRetention, viewMailRetention } from '#contract/sending/retention.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { readRetention, updateRetention } from './retention.command.ts';

export function addRetentionRoutes(addRoute: AddRoute): void {
  addRoute(viewMailRetention, ({ account }) => readRetention(account));

  addRoute(updateMailRetention, ({ body, account }) => updateRetention(account, body));
}
