import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from '#web/components/button.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { toast } from '#web/lib/screen/toast.ts';
import { addSamples, removeSamples } from './first-steps-query.ts';
import { FIRST_STEPS_MESSAGES } from './words.ts';

const { samples: messages } = FIRST_STEPS_MESSAGES;

/** Adds invented companies to an empty list, for a first try. */
export function AddSamples() {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => addSamples(client),
    onSuccess: (added) => toast('success', messages.added(added)),
  });
  return (
    <Button busy={isPending} onClick={() => mutate()}>
      {messages.add}
    </Button>
  );
}

/** Shows that the list has sample companies, with a button that removes them. */
export function SampleNote({ companies }: { readonly companies: number }) {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => removeSamples(client),
    onSuccess: (removed) => toast('success', messages.removed(removed)),
  });
  return (
    <Notice
      act={
        <Button variant="quiet" busy={isPending} onClick={() => mutate()}>
          {messages.remove}
        </Button>
      }
    >
      {messages.help(companies)}
    </Notice>
  );
}
