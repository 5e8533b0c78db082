import { useQuery } from '@tanstack/react-query';
import { PageFrame } from '#web/components/page-frame.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { AuditList } from '#web/features/audit/audit-list.tsx';
import { useAuditPlace } from '#web/features/audit/audit-place.ts';
import { AUDIT_MESSAGES } from '#web/features/audit/words.ts';
import { ExportButton } from '#web/features/exports/export-part.tsx';
import { memberList } from '#web/features/members/members-query.ts';
import { PATHS } from '#web/lib/address/paths.ts';
import { Link } from '#web/lib/router/link.tsx';
import { useMay } from '#web/lib/session/use-may.ts';
import { SettingsLayout } from '../../settings/settings-layout.tsx';

export function Component() {
  return useMay('viewAudit') ? <Audit /> : <AdminsOnly />;
}

function Audit() {
  const place = useAuditPlace();
  const { data: members = [] } = useQuery(memberList);
  return (
    <PageFrame
      title={AUDIT_MESSAGES.title}
      help={AUDIT_MESSAGES.help}
      tools={place.fault === undefined ? <ExportButton source={{ what: 'audit', ...place.filter }} /> : undefined}
      guide="team"
    >
      <SettingsLayout>
        <AuditList place={place} members={members} />
      </SettingsLayout>
    </PageFrame>
  );
}

/** Whom a link brought here names who can help. */
const AdminsOnly = () => (
  <PageFrame title={AUDIT_MESSAGES.title}>
    <SettingsLayout>
      <EmptyState kind="not-allowed" title={AUDIT_MESSAGES.adminsOnly} help={AUDIT_MESSAGES.adminsOnlyHelp}>
        <Link to={PATHS.settingsMembers}>{AUDIT_MESSAGES.toMembers}</Link>
      </EmptyState>
    </SettingsLayout>
  </PageFrame>
);
