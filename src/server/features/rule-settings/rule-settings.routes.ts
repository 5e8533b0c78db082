import * as rules from '#contract/senders/sending-rules.ts';
import * as days from '#contract/senders/sending-rules-closing-days.ts';
import * as hours from '#contract/senders/sending-rules-hours.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { readAccountRule } from '../sending-rules/account-rule.queries.ts';
import { updateAccountRule } from './account-rule.command.ts';
import { addClosingDay, addPreset, importDays, updateClosingDay } from './closing-days.command.ts';
import { updateHours } from './hours.command.ts';
import { getLimit, updateLimit } from './limits.command.ts';
import { getRules, listDays } from './rules.queries.ts';

export function addRuleSettingRoutes(addRoute: AddRoute, { now }: { readonly now: () => number }): void {
  addRoute(rules.getAccountRule, ({ account }) => account.snapshot((tx) => readAccountRule(tx, account.id)));
  addRoute(rules.updateAccountRule, ({ body, account }) => updateAccountRule(account, body.update_info));
  addRoute(hours.getSendingRules, ({ params, account }) => getRules(account, params.sender_group_id, now()));
  addRoute(hours.updateSendingRules, ({ params, body, account }) =>
    updateHours(account, params.sender_group_id, body, now()),
  );
  addRoute(days.listClosingDays, ({ query, account }) => listDays(account, query));
  addRoute(days.addClosingDay, ({ headers, body, account }) =>
    addClosingDay(account, { body, key: headers['idempotency-key'] }, now()),
  );
  addRoute(days.updateClosingDay, ({ params, body, account }) => updateClosingDay(account, params.id, body, now()));
  addRoute(days.addPresetDays, ({ body, account }) => addPreset(account, body, now()));
  addRoute(days.importClosingDays, ({ body, account }) => importDays(account, body, now()));
  addRoute(rules.getSenderLimit, ({ params, account }) => getLimit(account, params.profile_id));
  addRoute(rules.updateSenderLimit, ({ params, body, account }) => updateLimit(account, params.profile_id, body));
}
