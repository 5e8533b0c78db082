import { useQuery } from '@tanstack/react-query';
import { ReportScreen } from '#web/features/reports/report-screen.tsx';
import { senderGroupList } from '#web/features/senders/list-sender-groups.ts';
import { useSession } from '#web/lib/session/session-store.ts';

export function Component() {
  const accountId = useSession((state) => state.current_user?.id);
  const { data: groups = [] } = useQuery({ ...senderGroupList(accountId ?? 0), enabled: accountId !== undefined });
  return <ReportScreen groups={groups} />;
}
