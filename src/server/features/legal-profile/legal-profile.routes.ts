import { listLegalProfiles, updateLegalProfile } from '#contract/senders/legal-profile.ts';
import type { UrlOf } from '../../platform/http/hosts.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { listProfiles } from './legal-profile.queries.ts';
import { updateProfile } from './update-legal-profile.command.ts';

export function addLegalProfileRoutes(addRoute: AddRoute, { urlOf }: { readonly urlOf: UrlOf }): void {
  addRoute(listLegalProfiles, ({ query, account }) => listProfiles(account, query, urlOf(account.id)));

  addRoute(updateLegalProfile, ({ params, body, account }) =>
    updateProfile(account, params.sender_group_id, body, urlOf(account.id)),
  );
}
