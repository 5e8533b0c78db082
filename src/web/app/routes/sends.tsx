import { PageFrame } from '#web/components/page-frame.tsx';
import { RunList } from '#web/features/send-history/run-list.tsx';
import { HISTORY_MESSAGES } from '#web/features/send-history/words.ts';
import { sendPath } from '../paths.ts';

export function Component() {
  return (
    <PageFrame title={HISTORY_MESSAGES.title}>
      <RunList pathOf={sendPath} />
    </PageFrame>
  );
}
