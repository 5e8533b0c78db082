import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import type { ListedTarget } from '#contract/companies/attack-list.ts';
import type { CompanyDetail } from '#contract/companies/companies.ts';
import type { SendTo } from '#domain/sending/attack-list.ts';
import { Button } from '#web/components/button.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import type { MendedReason } from '#web/features/attack-list/left-out/left-out-dialog.tsx';
import { LEFT_OUT_MESSAGES } from '#web/features/attack-list/words.ts';
import { companyQuery } from '#web/features/companies/company-query.ts';
import { EditCompanyDialog } from '#web/features/companies/edit-company-dialog.tsx';
import PersonDialog from '#web/features/companies/people/person-dialog.tsx';
import { COMPANY_MESSAGES } from '#web/features/companies/words.ts';
import type { SenderGroup } from '#web/features/senders/list-sender-groups.ts';
import { LiftDialog } from '#web/features/suppressions/lift/lift-dialog.tsx';
import { suppressedValue } from '#web/features/suppressions/suppression-note.tsx';
import { SUPPRESSION_MESSAGES } from '#web/features/suppressions/words.ts';
import { prospectPath } from '#web/lib/address/paths.ts';
import { reloadLists } from '#web/lib/api/reload-lists.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { May } from '#web/lib/session/use-may.ts';

interface Props {
  readonly reason: Exclude<MendedReason, 'inactive'>;
  readonly target: ListedTarget;
  readonly group: SenderGroup;
  readonly sendTo: SendTo | undefined;
}

/** Renders the dialog that brings a left-out company back onto the attack list. */
export default function LeftOutMend({ reason, target, group, sendTo }: Props) {
  return reason === 'no_email' ? (
    <May call="updateProspect">
      <EnterAddress target={target} group={group} sendTo={sendTo} />
    </May>
  ) : (
    <May call="liftSuppression">
      <Lift target={target} />
    </May>
  );
}

/** Where the mails go to persons, the address that is missing is that of the 主担当, if the company has one. */
function EnterAddress({ target, group, sendTo }: Omit<Props, 'reason'>) {
  return (
    <Mend name={LEFT_OUT_MESSAGES.enterAddress} of={target}>
      {(company, close) => {
        const primary = sendTo === 'primary_or_company' && company.people.find(({ is_primary }) => is_primary === 1);
        return primary ? (
          <PersonDialog companyId={company.id} stored={primary} onClose={close} />
        ) : (
          <EditCompanyDialog
            company={company}
            group={group}
            pathOf={prospectPath}
            onClose={close}
            onSaved={() => {
              close();
              toast('success', COMPANY_MESSAGES.saved(company.company_name));
            }}
          />
        );
      }}
    </Mend>
  );
}

function Lift({ target }: Pick<Props, 'target'>) {
  return (
    <Mend name={SUPPRESSION_MESSAGES.lift.other} of={target}>
      {({ suppressed, company_email }, close) =>
        suppressed === null || company_email === null ? (
          <Gone onClose={close} />
        ) : (
          <LiftDialog row={{ ...suppressed, value: suppressedValue(suppressed, company_email) }} onClose={close} />
        )
      }
    </Mend>
  );
}

/** Closes the dialog and reloads the lists, because somebody else has resolved the problem. */
function Gone({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const leave = useEffectEvent(onClose);
  useEffect(() => {
    reloadLists(client);
    leave();
  }, [client]);
  return null;
}

interface MendProps {
  readonly name: string;
  readonly of: ListedTarget;
  readonly children: (company: CompanyDetail, close: () => void) => ReactNode;
}

/** Shows a button that opens a dialog about the company of a row. */
function Mend({ name, of: { prospect_id, company_name }, children }: MendProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="quiet"
        aria-haspopup="dialog"
        aria-label={LEFT_OUT_MESSAGES.mendOf(name, company_name)}
        onClick={() => setOpen(true)}
      >
        {name}
      </Button>
      {isOpen ? <OfCompany id={prospect_id}>{(company) => children(company, () => setOpen(false))}</OfCompany> : null}
    </>
  );
}

/** Loads the company again, because an edit sends its version. */
function OfCompany({
  id,
  children,
}: {
  readonly id: number;
  readonly children: (company: CompanyDetail) => ReactNode;
}) {
  const { data, error, isFetchedAfterMount, refetch } = useQuery(companyQuery(id));
  // A later reload, as after each focus of the tab, keeps the dialog and its typed text.
  if (data === undefined || !isFetchedAfterMount) {
    return error === null ? null : <NotLoaded error={error} onRetry={() => void refetch()} />;
  }
  return children(data);
}
