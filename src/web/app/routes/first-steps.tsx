import { useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import { PartBoundary } from '#web/components/part-boundary.tsx';
import { firstSteps } from '#web/features/first-steps/first-steps-query.ts';
import { SampleNote } from '#web/features/first-steps/sample-companies.tsx';
import { loadPart } from '#web/lib/load-part.ts';
import { PATHS, templatePath } from '../paths.ts';

const FirstStepsCard = lazy(() => loadPart(() => import('#web/features/first-steps/first-steps.tsx')));

/** The card of the first steps on the list, which loads for members who have not put it away; and sample companies. */
export function FirstSteps({ templateId }: { readonly templateId: number | undefined }) {
  const { data } = useQuery(firstSteps);
  if (data === undefined) return null;
  const { dismissed, sample_companies } = data;
  const template = templateId === undefined ? PATHS.settingsGroups : templatePath(templateId);
  return (
    <PartBoundary>
      {dismissed === 1 ? null : (
        <FirstStepsCard
          pathOf={{
            sender_confirmed: PATHS.settingsGroups,
            companies_imported: PATHS.newImport,
            template_edited: template,
            test_sent: template,
            mail_sent: `${PATHS.attackList}?tab=attack-list`,
          }}
        />
      )}
      {sample_companies > 0 ? <SampleNote companies={sample_companies} /> : null}
    </PartBoundary>
  );
}
