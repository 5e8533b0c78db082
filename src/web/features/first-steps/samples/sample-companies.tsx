import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from '#web/components/button.tsx';
import { toast } from '#web/lib/screen/toast.ts';
import { May } from '#web/lib/session/use-may.ts';
import styles from '../first-steps-place.module.css';
import { addSamples, removeSamples } from '../first-steps-query.ts';
import { SAMPLE_MESSAGES as messages } from './words.ts';

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
    <div className={`row note ${styles.samples}`}>
      <span>{messages.help(companies)}</span>
      <May call="removeSampleCompanies">
        <Button variant="quiet" busy={isPending} onClick={() => mutate()}>
          {messages.remove}
        </Button>
      </May>
    </div>
  );
}
