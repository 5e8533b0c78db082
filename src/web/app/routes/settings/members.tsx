import { useQuery } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { PageFrame } from '#web/components/page-frame.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { SavedMark } from '#web/components/state/saved-mark.tsx';
import { InvitationList } from '#web/features/members/invitation-list.tsx';
import { MemberList } from '#web/features/members/member-list.tsx';
import { memberList } from '#web/features/members/members-query.ts';
import { RightsPanel } from '#web/features/members/rights-panel.tsx';
import { INVITE_MESSAGES, MEMBER_MESSAGES } from '#web/features/members/words.ts';
import { type AccountRule, accountRule, useChangeRule } from '#web/lib/data/account-rule.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { SettingsLayout } from '../../settings/settings-layout.tsx';

const InviteDialog = lazy(() => loadPart(() => import('#web/features/members/invite-dialog.tsx')));

export function Component() {
  const [isInviting, setInviting] = useState(false);
  const [mayInvite, maySeeInvitations] = [useMay('invite'), useMay('listInvitations')];
  return (
    <PageFrame
      title={MEMBER_MESSAGES.title}
      marks={<Count />}
      help={MEMBER_MESSAGES.help}
      guide="team"
      action={
        mayInvite ? (
          <Button variant="primary" aria-haspopup="dialog" onClick={() => setInviting(true)}>
            {INVITE_MESSAGES.open}
          </Button>
        ) : undefined
      }
    >
      <SettingsLayout>
        <MemberList />
        {maySeeInvitations ? <InvitationList /> : null}
        <Rights />
      </SettingsLayout>
      <PartBoundary>{isInviting ? <InviteDialog onClose={() => setInviting(false)} /> : null}</PartBoundary>
    </PageFrame>
  );
}

function Count() {
  const { data = [] } = useQuery(memberList);
  const active = data.filter((member) => member.active === 1).length;
  if (active === 0) return null;
  const stopped = data.length - active;
  return <span>{stopped === 0 ? MEMBER_MESSAGES.active(active) : MEMBER_MESSAGES.withStopped(active, stopped)}</span>;
}

/** Shows what each role may do, and the one right that the account decides. */
function Rights() {
  const { data: rule } = useQuery({ ...accountRule, meta: { quiet: true } });
  const mayChange = useMay('updateAccountRule');
  return (
    <RightsPanel exportsNeedAdmin={rule?.export_needs_admin === 1}>
      {mayChange && rule !== undefined ? <ExportRule rule={rule} /> : null}
    </RightsPanel>
  );
}

function ExportRule({ rule }: { readonly rule: AccountRule }) {
  const { mutate: change, isSuccess } = useChangeRule();
  return (
    <div className="row">
      <label>
        <input
          type="checkbox"
          checked={rule.export_needs_admin === 1}
          onChange={({ target }) => change({ export_needs_admin: target.checked ? 1 : 0 })}
        />
        {MEMBER_MESSAGES.exportsNeedAdmin}
      </label>
      <SavedMark isSaved={isSuccess} />
    </div>
  );
}
