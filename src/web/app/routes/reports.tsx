import { ReportScreen } from '#web/features/reports/report-screen.tsx';
import { useOptionalGroups } from '#web/features/senders/use-current-sender.ts';

export function Component() {
  const groups = useOptionalGroups();
  return <ReportScreen groups={groups} />;
}
