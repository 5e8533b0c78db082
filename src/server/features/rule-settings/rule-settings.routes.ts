import * as rules from '#contract/senders/sending-rules.ts';
import * as days from '#contract/senders/sending-rules-closing-days.ts';
import * as hours from '#contract/senders/sending-rules-hours.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import type { Mailer } from '../../platform/mail/system-mail.ts';
import { Problem } from '../../platform/problem.ts';
import { type OwnerServices, ownerProblem } from '../auth/prove-owner.ts';
import { readAccountRule } from '../sending-rules/account-rule.queries.ts';
import { asksOwner, updateAccountRule } from './account-rule.command.ts';
import { addClosingDay, addPreset, importDays, updateClosingDay } from './closing-days.command.ts';
import { updateHours } from './hours.command.ts';
import { getLimit, updateLimit } from './limits.command.ts';
import { readLoginNetworks } from './login-networks.command.ts';
import { getRules, listDays } from './rules.queries.ts';

type Services = OwnerServices & { readonly mailer: Mailer };

export function addRuleSettingRoutes(addRoute: AddRoute, services: Services): void {
  const { now } = services;
  addRoute(rules.getAccountRule, ({ account, ip }) =>
    account.snapshot(async (tx) => ({
      ...(await readAccountRule(tx, account.id)),
      ...(await readLoginNetworks(tx, account, { ip })),
    })),
  );
  addRoute(rules.updateAccountRule, async ({ body: { current_password, update_info }, account, ...origin }) => {
    const { token, ip } = origin;
    const unproved = asksOwner(update_info)
      ? await ownerProblem(services, { account, token, ip }, current_password)
      : null;
    const mails = unproved ?? (await updateAccountRule(account, update_info, origin));
    if (mails instanceof Problem) return mails;
    // Sent once the rule is stored. The answer does not wait for them.
    for (const mail of mails) void services.mailer(mail);
    return { status: 'updated' as const };
  });
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
