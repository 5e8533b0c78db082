import { addReply, updateReply, viewReplies as viewCall } from '#contract/answers/replies.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { changeReply, noteReply } from './reply.command.ts';
import { viewReplies } from './view-replies.queries.ts';

export function addReplyRoutes(addRoute: AddRoute): void {
  addRoute(viewCall, ({ query, account }) => viewReplies(account, query));

  addRoute(addReply, ({ body, headers, account }) => noteReply(account, { body, key: headers['idempotency-key'] }));

  addRoute(updateReply, ({ params, body, account }) => changeReply(account, params.id, body.update_info));
}
