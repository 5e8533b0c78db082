import { useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import { PartBoundary } from '#web/components/part-boundary.tsx';
import { firstSteps } from '#web/features/first-steps/first-steps-query.ts';
import { loadPart } from '#web/lib/load-part.ts';
import { PATHS, templatePath } from '../paths.ts';

const FirstStepsCard = lazy(() => loadPart(() => import('#web/features/first-steps/first-steps.tsx')));

/** The card of the first steps on the list. It loads for members who have not put it away. */
export function FirstSteps({ templateId }: { readonly templateId: number | undefined }) {
  const { data } = useQuery(firstSteps);
  if (data?.dismissed !== 0) return null;
  const template = templateId === undefined ? PATHS.settingsGroups : templatePath(templateId);
  return (
    <PartBoundary>
      <FirstStepsCard
        pathOf={{
          sender_confirmed: PATHS.settingsGroups,
          companies_imported: PATHS.newImport,
          template_edited: template,
          test_sent: template,
          mail_sent: `${PATHS.attackList}?tab=attack-list`,
        }}
      />
    </PartBoundary>
  );
}
