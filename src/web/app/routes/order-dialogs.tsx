import { useQueryClient } from '@tanstack/react-query';
import { MailPreviewDialog } from '#web/features/mail-preview/mail-preview-dialog.tsx';
import { useMailChecks } from '#web/features/mail-preview/use-mail-checks.ts';
import { followOwnRun } from '#web/features/send-history/followed-runs-state.ts';
import { SendDialog } from '#web/features/sending/send-dialog.tsx';
import { reloadLists } from '#web/lib/reload-lists.ts';
import type { Orders } from './use-orders.ts';

/** The dialogs of an order: the preview of its mails, and the question before it is sent or reserved. */
export function OrderDialogs({ orders }: { readonly orders: Orders }) {
  const { order, previewed, close } = orders;
  const client = useQueryClient();
  const isReal = order?.testTo === null;
  const mailChecks = useMailChecks(isReal ? order : null);
  return (
    <>
      {previewed === null ? null : <MailPreviewDialog order={previewed} onClose={close} />}
      {order === null ? null : (
        <SendDialog
          order={order}
          mailChecks={mailChecks}
          onClose={close}
          onTaken={() => reloadLists(client, { isTaken: isReal })}
          onAccepted={followOwnRun}
        />
      )}
    </>
  );
}
