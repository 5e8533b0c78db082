import { getAccountRule, updateAccountRule as updateCall } from '#contract/sending-rules.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { updateAccountRule } from './account-rule.command.ts';
import { readAccountRule } from './account-rule.queries.ts';

export function addSendingRuleRoutes(addRoute: AddRoute): void {
  addRoute(getAccountRule, ({ account }) => account.transaction((tx) => readAccountRule(tx, account.id)));

  addRoute(updateCall, ({ body, account }) => updateAccountRule(account, body.update_info));
}
