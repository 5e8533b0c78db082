import { PageFrame } from '#web/components/page-frame.tsx';
import { ExportButton } from '#web/features/exports/export-part.tsx';
import { BelowRestored } from '#web/features/send-logs/restored/below-restored.tsx';
import { RunList } from '#web/features/send-logs/run-list.tsx';
import { useRunPlace } from '#web/features/send-logs/use-run-place.ts';
import { HISTORY_MESSAGES } from '#web/features/send-logs/words.ts';
import { useOptionalGroups } from '#web/features/senders/use-current-sender.ts';

export function Component() {
  const place = useRunPlace();
  const groups = useOptionalGroups();
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
