import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import styles from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { call } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { EXPORT_LIST } from './export-list.ts';
import { EXPORT_MESSAGES } from './words.ts';

interface Props {
  readonly id: number;
  /** What will be deleted, for the button's name. */
  readonly name: string;
  /** Whether to ask first: a deleted file cannot be restored. Without a file nothing is lost. */
  readonly hasFile: boolean;
}

/** Shows the button that deletes an export. */
export function DeleteExport({ id, name, hasFile }: Props) {
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const remove = useMutation({
    mutationFn: async () => unwrap(await call('deleteExport', { params: { id: String(id) } })),
    onSettled: () => client.invalidateQueries({ queryKey: [EXPORT_LIST] }),
  });
  const { delete: label, deleteOf, deleteDialog } = EXPORT_MESSAGES;
  const { title, question, consequence, button } = deleteDialog;
  const close = () => setAsking(false);
  return (
    <>
      <Button
        variant="quiet"
        busy={remove.isPending}
        aria-label={deleteOf(name)}
        onClick={() => (hasFile ? setAsking(true) : remove.mutate())}
      >
        {label}
      </Button>
      {isAsking ? (
        <Dialog title={title} onClose={() => !remove.isPending && close()}>
          <p className={styles.question}>{question(name)}</p>
          <p className={styles.consequence}>{consequence}</p>
          <DialogFoot
            stay={<CancelButton busy={remove.isPending} onClick={close} data-autofocus />}
            act={
              <Button
                variant="danger"
                busy={remove.isPending}
                onClick={() => remove.mutate(undefined, { onSettled: close })}
              >
                {button}
              </Button>
            }
          />
        </Dialog>
      ) : null}
    </>
  );
}
