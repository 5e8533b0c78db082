import { listLegalProfiles, updateLegalProfile } from '#contract/legal-profile.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { listProfiles } from './legal-profile.queries.ts';
import { updateProfile } from './update-legal-profile.command.ts';

export function addLegalProfileRoutes(addRoute: AddRoute, { publicUrl }: { readonly publicUrl: string }): void {
  addRoute(listLegalProfiles, ({ query, account }) => listProfiles(account, query, publicUrl));

  addRoute(updateLegalProfile, ({ params, body, account }) =>
    updateProfile(account, params.sender_group_id, body, publicUrl),
  );
}
