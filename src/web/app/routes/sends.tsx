import { useQuery } from '@tanstack/react-query';
import { PageFrame } from '#web/components/page-frame.tsx';
import { ExportButton } from '#web/features/exports/export-part.tsx';
import { BelowRestored } from '#web/features/send-logs/restored/below-restored.tsx';
import { RunList } from '#web/features/send-logs/run-list.tsx';
import { useRunPlace } from '#web/features/send-logs/use-run-place.ts';
import { HISTORY_MESSAGES } from '#web/features/send-logs/words.ts';
import { senderGroupList } from '#web/features/senders/list-sender-groups.ts';
import { useSession } from '#web/lib/session/session-store.ts';

export function Component() {
  const place = useRunPlace();
  const accountId = useSession((state) => state.current_user?.id);
  const { data: groups = [] } = useQuery({ ...senderGroupList(accountId ?? 0), enabled: accountId !== undefined });
  return (
    <PageFrame
      title={HISTORY_MESSAGES.title}
      tools={<ExportButton source={{ what: 'runs', ...place.filter }} />}
      guide="results"
    >
      <BelowRestored>
        <RunList place={place} groups={groups} />
      </BelowRestored>
    </PageFrame>
  );
}
