import type { Run } from '#contract/runs.ts';
import { conditionsOf } from '#web/features/prospects/filter/conditions.ts';
import { FILTER_MESSAGES } from '#web/features/prospects/filter/words.ts';
import { RunResultsPart } from '#web/features/reports/run-results.tsx';
import { RunDetail, type RunParts } from '#web/features/send-logs/run-detail.tsx';
import { HISTORY_MESSAGES } from '#web/features/send-logs/words.ts';
import { readId } from '#web/lib/address/params.ts';
import { PATHS } from '#web/lib/address/paths.ts';
import { Link } from '#web/lib/router/link.tsx';
import { useParams } from '#web/lib/router/use-router.ts';
import { DELIVERY_PARTS } from './delivery-parts.tsx';
import { ExportPart } from './export-part.tsx';
import { FollowUpLink } from './follow-up-link.tsx';
import { NotFound } from './not-found.tsx';
import { useRunMenu } from './run-menu.tsx';

const conditionTexts: RunParts['conditionTexts'] = (conditions) =>
  conditionsOf(conditions).map(({ label, value }) => FILTER_MESSAGES.chip(label, value));

const renderActs = (run: Run) => <FollowUpLink run={run} />;
const renderChart = (run: Run) => <RunResultsPart run={run} />;

export function Component() {
  const id = readId(useParams().id);
  const { exported, endExport, renderMenu } = useRunMenu();
  if (id === undefined) return <NotFound />;
  return (
    <>
      <RunDetail
        key={id}
        id={id}
        back={<Link to={PATHS.sends}>{HISTORY_MESSAGES.back}</Link>}
        parts={DELIVERY_PARTS}
        runParts={{ conditionTexts, renderMenu, renderActs, renderChart }}
      />
      <ExportPart source={exported} onClose={endExport} />
    </>
  );
}
