import { Link, useParams } from 'react-router';
import { PageFrame } from '#web/components/page-frame.tsx';
import { RunDetail } from '#web/features/send-history/run-detail.tsx';
import { HISTORY_MESSAGES } from '#web/features/send-history/words.ts';
import { readId } from '#web/lib/list-params.ts';
import { PATHS } from '../paths.ts';
import { DELIVERY_PARTS } from './delivery-parts.tsx';
import { ExportButton } from './export-part.tsx';
import { NotFound } from './not-found.tsx';

export function Component() {
  const id = readId(useParams().id ?? null);
  if (id === undefined) return <NotFound />;
  return (
    <PageFrame
      title={HISTORY_MESSAGES.details}
      back={<Link to={PATHS.sends}>{HISTORY_MESSAGES.back}</Link>}
      tools={<ExportButton source={{ what: 'deliveries', send_log_id: id }} />}
      guide="results"
    >
      <RunDetail key={id} id={id} parts={DELIVERY_PARTS} />
    </PageFrame>
  );
}
