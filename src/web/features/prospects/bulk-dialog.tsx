import { useQuery } from '@tanstack/react-query';
import { MAX_REMARKS_LENGTH } from '#domain/limits.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import styles from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { Field } from '#web/components/field/field.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { toast } from '#web/lib/screen/toast.ts';
import { setDraft, useSession } from '#web/lib/session/session-store.ts';
import { Consequences, failuresOf, Result } from './bulk-result.tsx';
import { type BulkOrder, bulkCheck, useBulkChange } from './change-prospects.ts';
import { BULK_MESSAGES, PROSPECT_MESSAGES } from './words.ts';

const REMARKS_DRAFT = 'bulk.remarks';

interface Props {
  readonly order: BulkOrder;
  /** The number of chosen companies. */
  readonly chosen: number;
  /** @param isDone the action was performed, so the selection ends */
  readonly onClose: (isDone: boolean) => void;
}

/** Asks before an action on many companies, and reports the companies that it could not change. */
export default function BulkDialog({ order, chosen, onClose }: Props) {
  const { act } = order;
  const check = useQuery(bulkCheck(order));
  const change = useBulkChange();
  const remarks = useSession(({ drafts }) => drafts[REMARKS_DRAFT]) ?? '';
  const fault = act === 'append_remarks' ? remarksFault(remarks) : undefined;
  const title = BULK_MESSAGES.titles[act];

  function perform(): void {
    const asked = act === 'append_remarks' ? { ...order, remarks: remarks.trim().toWellFormed() } : order;
    change.mutate(asked, {
      onSuccess: (answer) => {
        if (act === 'append_remarks') setDraft(REMARKS_DRAFT, null);
        if (failuresOf(answer) > 0) return;
        toast('success', BULK_MESSAGES.done[act](answer.changed));
        onClose(true);
      },
    });
  }

  if (change.data !== undefined && failuresOf(change.data) > 0)
    return <Result act={act} answer={change.data} onClose={() => onClose(true)} />;
  const isBlank = act === 'append_remarks' && remarks.trim() === '';
  const hasNothing = check.data?.changed === 0;
  return (
    <Dialog title={title} grows onClose={() => !change.isPending && onClose(false)}>
      <p className={styles.question}>{BULK_MESSAGES.questions[act](chosen)}</p>
      {act === 'append_remarks' ? <RemarksField value={remarks} fault={fault} /> : null}
      {check.isError ? (
        <LoadFailed error={check.error} onRetry={() => void check.refetch()} />
      ) : (
        <Consequences act={act} check={check.data} />
      )}
      <DialogFoot
        stay={
          <CancelButton
            busy={change.isPending}
            onClick={() => onClose(false)}
            data-autofocus={act === 'append_remarks' ? undefined : true}
          />
        }
        act={
          <Button
            variant="primary"
            busy={change.isPending || check.data === undefined || hasNothing || isBlank || fault !== undefined}
            onClick={perform}
          >
            {change.isPending ? BULK_MESSAGES.running : BULK_MESSAGES.acts[act]}
          </Button>
        }
      />
    </Dialog>
  );
}

function remarksFault(remarks: string): string | undefined {
  const { length } = remarks.trim();
  return length > MAX_REMARKS_LENGTH ? PROSPECT_MESSAGES.remarksTooLong(MAX_REMARKS_LENGTH, length) : undefined;
}

function RemarksField({ value, fault }: { readonly value: string; readonly fault: string | undefined }) {
  const { newRemarks, newRemarksHelp } = BULK_MESSAGES;
  return (
    <Field label={newRemarks} help={newRemarksHelp} error={fault}>
      {(control) => (
        <textarea
          {...control}
          data-autofocus
          rows={3}
          value={value}
          onChange={(event) => setDraft(REMARKS_DRAFT, event.target.value)}
        />
      )}
    </Field>
  );
}
