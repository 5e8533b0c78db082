import { checkLegal } from '#contract/senders/legal-profile.ts';
import { checkMails as checkCall, previewMail as previewCall } from '#contract/sending/mail-preview.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import type { Mailing } from '../runs/prepare-run.ts';
import { checkMails } from './check-mails.ts';
import { checkSender, previewMail } from './mail-preview.queries.ts';

interface Parts extends Mailing {
  readonly now: () => number;
}

export function addMailPreviewRoutes(addRoute: AddRoute, { now, ...mailing }: Parts): void {
  addRoute(previewCall, ({ params, body, account }) => previewMail(account, params.sender_id, body, now(), mailing));
  addRoute(checkCall, ({ params, body, account }) => checkMails(account, params.sender_id, body, now(), mailing));
  addRoute(checkLegal, ({ params, account }) => checkSender(account, params.sender_id, now(), mailing));
}
