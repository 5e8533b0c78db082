import type { FastifyBaseLogger } from 'fastify';
import * as invitationCalls from '#contract/account/invitations.ts';
import * as calls from '#contract/account/members.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { ownerProblem } from '../auth/prove-owner.ts';
import { secondStepRemovedMail } from '../auth/second-step/second-step-mails.ts';
import { type Ended, type EndServices, endConsents } from '../mailbox-settings/end-consents.ts';
import type { VisitorServices } from '../mailed-keys/mailed-key.ts';
import { sendResetLinkTo } from '../mailed-keys/password-reset.command.ts';
import { acceptInvitation, checkInvitation } from './accept.command.ts';
import { readInvitations } from './invitation-list.queries.ts';
import { cancelInvitation, invite } from './invite.command.ts';
import { type InviteServices, mailInvitation, sendAgain } from './mail-invitation.command.ts';
import { readMembers } from './member-list.queries.ts';
import { updateMember } from './update-member.command.ts';

type Services = InviteServices &
  VisitorServices &
  EndServices & { readonly log: Pick<FastifyBaseLogger, 'error' | 'warn'> };

export function addMemberRoutes(addRoute: AddRoute, services: Services): void {
  const { now } = services;
  addRoute(calls.listMembers, ({ account }) => readMembers(account));
  addRoute(calls.updateMember, async ({ params, body: { current_password, ...body }, account, token, ip }) => {
    // Else a stolen session would leave a colleague with the password alone.
    const asksOwner = body.update_info.two_factor === 0;
    const unproved = asksOwner ? await ownerProblem(services, { account, token, ip }, current_password) : null;
    if (unproved) return unproved;
    const ended: Ended[] = [];
    const answer = await updateMember(account, params.id, body, now(), {
      // The answer does not wait for the mail.
      onStepRemoved: (email) => void services.mailer(secondStepRemovedMail(email, account.id)),
      onEnded: (box) => void ended.push(box),
    });
    void endConsents(services, ended);
    return answer;
  });
  addRoute(calls.sendMemberPasswordReset, ({ params, account }) => sendResetLinkTo(services, account, params.id));

  addRoute(invitationCalls.invite, async ({ headers, body, account }) => {
    const { answer, added } = await invite(account, { body, key: headers['idempotency-key'] }, now());
    void mailAll(services, account, added);
    return answer;
  });
  addRoute(invitationCalls.listInvitations, ({ account }) => readInvitations(account, now()));
  addRoute(invitationCalls.sendInvitation, ({ params, account }) => sendAgain(services, account, params.id));
  addRoute(invitationCalls.updateInvitation, ({ params, account }) => cancelInvitation(account, params.id));
  addRoute(invitationCalls.checkInvitation, ({ body }) => checkInvitation(services, body.key));
  addRoute(invitationCalls.acceptInvitation, ({ body }) => acceptInvitation(services, body));
}

/** Mails invitations one by one, after the answer: a server may take seconds for each. */
async function mailAll(services: Services, account: MemberDb, ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    await mailInvitation(services, services.accountDb(account.id, null), id).catch((error: unknown) =>
      services.log.error({ err: error }, 'could not mail an invitation; an admin must send it again'),
    );
  }
}
