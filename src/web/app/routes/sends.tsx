import { PageFrame } from '#web/components/page-frame.tsx';
import { RunList } from '#web/features/send-history/run-list.tsx';
import { HISTORY_MESSAGES } from '#web/features/send-history/words.ts';
import { sendPath } from '../paths.ts';
import { ExportButton } from './export-part.tsx';

export function Component() {
  return (
    <PageFrame title={HISTORY_MESSAGES.title} tools={<ExportButton source={{ what: 'runs' }} />} guide="results">
      <RunList pathOf={sendPath} />
    </PageFrame>
  );
}
