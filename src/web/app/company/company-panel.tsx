import { CompanyDrawer } from '#web/features/companies/company-drawer.tsx';
import { CompanyScreen } from '#web/features/companies/company-screen.tsx';
import type { SenderGroup } from '#web/features/senders/list-sender-groups.ts';
import { prospectPath } from '#web/lib/address/paths.ts';
import { useCompanyMails } from '../mails/use-company-mails.tsx';
import styles from './company.module.css';
import { CompanyActs, CompanyStops } from './company-stops.tsx';
import { linkOf, useListBeside, useNamesBeside } from './use-list-beside.ts';

interface Props {
  readonly id: number;
  readonly group: SenderGroup | undefined;
  readonly onMove: (id: number) => void;
  readonly onClose: () => void;
}

/** Shows one company in a drawer beside the list. */
export default function CompanyPanel({ id, group, onMove, onClose }: Props) {
  const { previous, next } = useListBeside(id, onMove);
  useNamesBeside(id);
  const { mails, dialog } = useCompanyMails();

  function close(): void {
    (linkOf(id) ?? document.querySelector<HTMLElement>('main'))?.focus();
    onClose();
  }

  return (
    <>
      <CompanyDrawer
        id={id}
        onPrevious={previous === undefined ? undefined : () => onMove(previous)}
        onNext={next === undefined ? undefined : () => onMove(next)}
        onClose={close}
      >
        <CompanyScreen
          key={id}
          id={id}
          group={group}
          pathOf={prospectPath}
          mails={mails}
          renderStops={(company) => <CompanyStops company={company} groupId={group?.id} />}
          renderActs={(company, own) => <CompanyActs company={company} groupId={group?.id} own={own} />}
          renderFrame={({ heading, marks, actions, children }) => (
            <>
              <div className={`row ${styles.head}`}>
                <h2 className={styles.name}>{heading}</h2>
                <div className="line">{actions}</div>
              </div>
              <div className="stack-wide">
                {marks}
                {children}
              </div>
            </>
          )}
        />
      </CompanyDrawer>
      {dialog}
    </>
  );
}
