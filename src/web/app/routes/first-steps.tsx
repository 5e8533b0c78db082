import { useQuery } from '@tanstack/react-query';
import { FirstStepsCard } from '#web/features/first-steps/first-steps.tsx';
import { firstSteps } from '#web/features/first-steps/first-steps-query.ts';
import { SampleNote } from '#web/features/first-steps/sample-companies.tsx';
import { ATTACK_LIST_PATH, PATHS, templatePath } from '#web/lib/address/paths.ts';

/**
 * Checks whether the first answer about the first steps is awaited.
 * Until then the screen hides what is below the card, so that it does not move. After a failed request it shows it.
 */
export function useAwaitedFirstSteps(): boolean {
  const { isLoading, failureCount } = useQuery(firstSteps);
  return isLoading && failureCount === 0;
}

/** The card of the first steps on the list, for members who have not put it away; and sample companies. */
export function FirstSteps({ templateId }: { readonly templateId: number | undefined }) {
  const { data } = useQuery(firstSteps);
  if (data === undefined) return null;
  const { dismissed, sample_companies } = data;
  const template = templateId === undefined ? PATHS.settingsGroups : templatePath(templateId);
  return (
    <>
      {dismissed === 1 ? null : (
        <FirstStepsCard
          pathOf={{
            legal_profile_ready: PATHS.settingsLegal,
            sender_confirmed: PATHS.settingsGroups,
            companies_imported: PATHS.newImport,
            template_edited: template,
            test_sent: template,
            mail_sent: ATTACK_LIST_PATH,
          }}
        />
      )}
      {sample_companies > 0 ? <SampleNote companies={sample_companies} /> : null}
    </>
  );
}
