import { PageFrame, type WayBack } from '#web/components/page-frame.tsx';
import { CompanyScreen } from '#web/features/companies/company-screen.tsx';
import { COMPANY_MESSAGES } from '#web/features/companies/words.ts';
import { useCurrentSender } from '#web/features/senders/use-current-sender.ts';
import { readId } from '#web/lib/address/params.ts';
import { PATHS, prospectPath } from '#web/lib/address/paths.ts';
import { useToldError } from '#web/lib/data/use-told-error.ts';
import { useParams } from '#web/lib/router/use-router.ts';
import { CompanyActs, CompanyStops } from '../company/company-stops.tsx';
import { useCompanyMails } from '../mails/use-company-mails.tsx';
import { NotFound } from './not-found.tsx';

const BACK: WayBack = { to: PATHS.attackList, label: COMPANY_MESSAGES.back };

export function Component() {
  const id = readId(useParams().id);
  const { group, groups, error, retry } = useCurrentSender();
  useToldError({ data: groups, error });
  const { mails, dialog } = useCompanyMails();
  if (id === undefined) return <NotFound />;
  return (
    <>
      <CompanyScreen
        key={id}
        id={id}
        group={group}
        awaitsGroup={groups === undefined && retry === undefined}
        back={BACK}
        pathOf={prospectPath}
        mails={mails}
        renderStops={(company) => <CompanyStops company={company} groupId={group?.id} />}
        renderActs={(company, own) => <CompanyActs company={company} groupId={group?.id} own={own} />}
        renderFrame={({ title, heading, marks, actions, children }) => (
          <PageFrame title={title} heading={heading} marks={marks} back={BACK} action={actions} guide="companies">
            {children}
          </PageFrame>
        )}
      />
      {dialog}
    </>
  );
}
