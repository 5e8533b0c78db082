import { getInbox } from '#contract/answers/inbox.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { readInboxState } from './inbox-state.queries.ts';

export function addInboxRoutes(addRoute: AddRoute): void {
  addRoute(getInbox, ({ account }) => account.snapshot(readInboxState));
}
