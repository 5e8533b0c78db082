import { previewMail as previewCall } from '#contract/mail-preview.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { previewMail } from './mail-preview.queries.ts';

export function addMailPreviewRoutes(addRoute: AddRoute, { now }: { now: () => number }): void {
  addRoute(previewCall, ({ params, body, account }) => previewMail(account, params.sender_id, body, now()));
}
