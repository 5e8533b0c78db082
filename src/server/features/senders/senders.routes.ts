import { addSenderGroup, listSenderGroups, updateSenderGroup } from '#contract/senders/sender-groups.ts';
import * as profileCalls from '#contract/senders/sender-profiles.ts';
import * as calls from '#contract/senders/senders.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { asFlag } from '../../platform/as-flag.ts';
import { createOnce } from '../../platform/database/create-once.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import type { MailPath } from '../../platform/mail/mail-path.ts';
import { notFound } from '../../platform/problem.ts';
import { addGroup, updateGroup } from './change-group.command.ts';
import { listProfileRows } from './profile.queries.ts';
import { updateProfile } from './save-profile.command.ts';
import { addSender, updateSender } from './save-sender.command.ts';
import {
  confirmationSentAt,
  contentOf,
  countSharing,
  listSenderRows,
  secondOrNull,
  selectSenderDetail,
  senderVersion,
} from './sender.queries.ts';
import { countPendingReservations } from './sender-content.queries.ts';
import { listGroups } from './sender-group-list.queries.ts';

interface Services {
  readonly now: () => number;
  readonly mailPath: MailPath;
}

export function addSenderRoutes(addRoute: AddRoute, { now, mailPath }: Services): void {
  addRoute(listSenderGroups, ({ query, account }) => listGroups(account, query, now()));

  addRoute(addSenderGroup, ({ headers, body, account }) => {
    const request = { call: addSenderGroup, key: headers['idempotency-key'], input: body };
    return createOnce(account, request, (tx) => addGroup(tx, account, body.add_info.group_name));
  });

  addRoute(updateSenderGroup, ({ params, body: { version, update_info }, account }) => {
    const { group_name, active } = update_info;
    const change = { group_name, active: active === undefined ? undefined : active === 1 };
    return updateGroup(account, params.id, change, version);
  });

  addRoute(calls.listSenders, ({ query, account }) => listSenderRows(account, query, now()));

  addRoute(calls.getSender, ({ params, account }) =>
    account.snapshot(async (tx) => {
      const sender = await selectSenderDetail(tx, account.id, params.id)
        .select(confirmationSentAt(now()))
        .executeTakeFirst();
      if (!sender) return notFound();
      const { confirmed_at, confirmation_sent_at, updated_at, chosen_per_minute, operator_per_minute, ...shown } =
        sender;
      const { id, profile_id: profileId } = sender;
      return {
        ...shown,
        active: asFlag(shown.active),
        is_confirmed: asFlag(shown.is_confirmed),
        confirmed_at: secondOrNull(confirmed_at),
        confirmation_sent_at: secondOrNull(confirmation_sent_at),
        mails_per_minute: chosen_per_minute,
        max_mails_per_minute: operator_per_minute,
        shared_by: await countSharing(tx, account.id, { id, profileId }),
        reservations: await countPendingReservations(tx, account.id, { sender_id: params.id }),
        version: senderVersion(contentOf(sender)),
        updated_at: formatSecond(updated_at.getTime()),
      };
    }),
  );

  addRoute(calls.addSender, ({ headers, body, account }) => {
    const request = { call: calls.addSender, key: headers['idempotency-key'], input: body };
    return createOnce(account, request, (tx) => addSender(tx, account, body.add_info));
  });

  addRoute(profileCalls.listSenderProfiles, ({ query, account }) => listProfileRows(account, query, now()));

  addRoute(profileCalls.updateSenderProfile, ({ params, body, account }) =>
    updateProfile(account, params.id, body, { takesMailboxes: mailPath.kind === 'smtp' }),
  );

  addRoute(calls.updateSender, ({ params, body, account }) => updateSender(account, params.id, body));
}
