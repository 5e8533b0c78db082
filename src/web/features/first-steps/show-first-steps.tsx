import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Button } from '#web/components/button.tsx';
import { SettingRow } from '#web/components/field/setting-row.tsx';
import { toast } from '#web/lib/screen/toast.ts';
import { dismissFirstSteps, firstSteps, useIsLed } from './first-steps-query.ts';
import { FIRST_STEPS_MESSAGES as messages } from './words.ts';

/** Shows the card of the first steps again. */
export function ShowFirstSteps() {
  const client = useQueryClient();
  const { data } = useQuery(firstSteps);
  const { mutate, isPending } = useMutation({
    mutationFn: () => dismissFirstSteps(client, 0),
    onSuccess: () => toast('success', messages.shown),
  });
  if (!useIsLed() || data?.dismissed !== 1) return null;
  return (
    <SettingRow label={messages.title}>
      {() => (
        <div>
          <Button busy={isPending} onClick={() => mutate()}>
            {messages.show}
          </Button>
        </div>
      )}
    </SettingRow>
  );
}
