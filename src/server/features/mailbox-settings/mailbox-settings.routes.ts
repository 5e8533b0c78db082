import * as calls from '#contract/senders/mailboxes.ts';
import { createOnce } from '../../platform/database/create-once.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import type { MailboxServices } from '../mailboxes/mailbox-log-in.ts';
import { addMailbox } from './add-mailbox.command.ts';
import { mailboxChecks } from './check/check.command.ts';
import { hostProblem } from './connection.ts';
import { type Ended, type EndServices, endConsents } from './end-consents.ts';
import { listMailboxRows } from './mailbox-list.queries.ts';
import { updateMailbox } from './update-mailbox.command.ts';

export function addMailboxRoutes(addRoute: AddRoute, services: MailboxServices & EndServices): void {
  const check = mailboxChecks(services);

  addRoute(calls.listMailboxes, ({ query, account }) => listMailboxRows(account, query, services.now()));

  addRoute(calls.addMailbox, async ({ headers, body, account }) => {
    const request = { call: calls.addMailbox, key: headers['idempotency-key'], input: body };
    return (
      (await hostProblem(services.outbound, 'add_info', body.add_info)) ??
      createOnce(account, request, (tx) => addMailbox(tx, account, services, body.add_info))
    );
  });

  addRoute(calls.updateMailbox, async ({ params, body, account }) => {
    const refused = await hostProblem(services.outbound, 'update_info', body.update_info);
    if (refused) return refused;
    const ended: Ended[] = [];
    const answer = await updateMailbox(account, services, params.id, body, (box) => void ended.push(box));
    // The answer does not wait for the provider.
    void endConsents(services, ended);
    return answer;
  });

  addRoute(calls.checkMailbox, ({ params, body, account }) => check(account, params.id, body.from));
}
