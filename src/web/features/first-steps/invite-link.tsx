import { queryOptions, useQuery } from '@tanstack/react-query';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { PATHS } from '#web/lib/address/paths.ts';
import { call } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { FIRST_STEPS_MESSAGES as messages } from './words.ts';

/** Fetches how many members the account has. */
const memberCount = queryOptions({
  queryKey: ['member_count'],
  queryFn: async ({ signal }) => {
    const members = unwrap(await call('listMembers', {}, { signal }));
    return members.filter(({ active }) => active === 1).length;
  },
  meta: { quiet: true },
});

/** Leads to the invitations while the account has one member. */
export function InviteLink({ className = '' }: { readonly className?: string | undefined }) {
  const mayInvite = useMay('invite');
  const { data } = useQuery({ ...memberCount, enabled: mayInvite });
  if (!mayInvite || data !== 1) return null;
  return (
    <ButtonLink variant="quiet" className={className} to={PATHS.settingsMembers}>
      {messages.invite}
    </ButtonLink>
  );
}
