import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { CompanyDetail } from '#contract/companies.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog.tsx';
import styles from '#web/components/dialog-body.module.css';
import { toast } from '#web/lib/toast.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { type ArchiveAct, archiveCompany } from './archive-company.ts';
import { reloadCompany } from './company-query.ts';
import { ARCHIVE_MESSAGES } from './words.ts';

interface Props {
  readonly company: CompanyDetail;
  readonly act: ArchiveAct;
  readonly onClose: () => void;
}

/** Asks before a company is archived or brought back. Neither loses anything. */
export function ArchiveDialog({ company: { id, company_name }, act, onClose }: Props) {
  const client = useQueryClient();
  const messages = ARCHIVE_MESSAGES[act];
  const { mutate, isPending } = useMutation({
    mutationFn: () => archiveCompany(id, act),
    onSuccess: () => {
      toast('success', messages.done);
      void reloadCompany(client, id);
      onClose();
    },
  });
  return (
    <Dialog title={messages.title} onClose={onClose}>
      <p className={styles.question}>{messages.question(company_name)}</p>
      <p className={styles.consequence}>{messages.consequence}</p>
      <div className={styles.buttons}>
        <Button onClick={onClose}>{COMMON_MESSAGES.actions.cancel}</Button>
        <Button variant="primary" busy={isPending} data-autofocus onClick={() => mutate()}>
          {messages.button}
        </Button>
      </div>
    </Dialog>
  );
}
