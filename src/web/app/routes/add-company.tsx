import { AddCompanyDialog } from '#web/features/companies/add-company-dialog.tsx';
import type { SenderGroup } from '#web/features/senders/list-sender-groups.ts';
import { prospectPath } from '#web/lib/address/paths.ts';

interface Props {
  readonly group: SenderGroup | undefined;
  readonly onAdded: (id: number) => void;
  readonly onClose: () => void;
}

export default function AddCompany(props: Props) {
  return <AddCompanyDialog {...props} pathOf={prospectPath} />;
}
