import { previewMail as previewCall } from '#contract/mail-preview.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import type { TransportTemplates } from '../delivery/transports/transport.ts';
import { previewMail } from './mail-preview.queries.ts';

interface Parts {
  readonly now: () => number;
  readonly transport: TransportTemplates;
}

export function addMailPreviewRoutes(addRoute: AddRoute, { now, transport }: Parts): void {
  addRoute(previewCall, ({ params, body, account }) => previewMail(account, params.sender_id, body, now(), transport));
}
