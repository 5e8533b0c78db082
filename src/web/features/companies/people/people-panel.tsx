import IconBan from '@tabler/icons-react/dist/esm/icons/IconBan.mjs';
import IconStarFilled from '@tabler/icons-react/dist/esm/icons/IconStarFilled.mjs';
import { lazy, useState } from 'react';
import type { CompanyDetail } from '#contract/companies/companies.ts';
import type { CompanyPerson } from '#contract/companies/people.ts';
import { MAX_PEOPLE_OF_COMPANY } from '#domain/limits.ts';
import { plainDay } from '#domain/time/shown-time.ts';
import { Button } from '#web/components/button.tsx';
import { Menu } from '#web/components/dialog/menu.tsx';
import { RowMenu } from '#web/components/dialog/row-menu.tsx';
import { PhoneLink } from '#web/components/inline/phone-link.tsx';
import { ProspectStatus } from '#web/components/inline/prospect-status.tsx';
import { StatusBadge } from '#web/components/inline/status-badge.tsx';
import { Panel } from '#web/components/panel.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { withNote } from '#web/lib/phrases.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { May, useMay } from '#web/lib/session/use-may.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { SuppressionReply, suppressionText } from '../suppression-reply.tsx';
import styles from './people.module.css';
import { calledOf, type PersonAct, usePersonAct } from './people-query.ts';
import { PEOPLE_MESSAGES as messages } from './words.ts';

const PersonDialog = lazy(() => loadPart(() => import('./person-dialog.tsx')));

type OnAct = (person: CompanyPerson, act: PersonAct) => void;

/** Shows the people of a company, the 主担当 first, and how a mail greets the 主担当. */
export function PeoplePanel({ company }: { readonly company: CompanyDetail }) {
  /** The id of the edited person; 'new': one is added. */
  const [open, setOpen] = useState<number | 'new' | null>(null);
  const { mutate, isPending } = usePersonAct(company.id);
  const act: OnAct = (person, chosen) => isPending || mutate({ person, act: chosen });
  const people = company.people.filter(({ archived }) => archived === 0);
  const archived = company.people.filter((person) => person.archived === 1);
  const primary = people.find(({ is_primary }) => is_primary === 1);
  const edited = company.people.find(({ id }) => id === open);
  const isFull = company.people.length >= MAX_PEOPLE_OF_COMPANY;
  return (
    <Panel
      title={messages.heading(people.length)}
      tools={
        isFull ? undefined : (
          <May call="createPerson">
            <Button aria-haspopup="dialog" onClick={() => setOpen('new')}>
              {messages.add}
            </Button>
          </May>
        )
      }
    >
      {isFull ? <p className="note">{messages.fullHelp}</p> : null}
      {primary?.suppressed ? <SuppressedPrimary primary={primary} people={people} onAct={act} /> : null}
      {people.length === 0 ? (
        <p className="note">{messages.noneHelp}</p>
      ) : (
        <People people={people} onEdit={setOpen} onAct={act} />
      )}
      {primary?.email ? (
        <p className={styles.greeting}>
          {messages.addressee}
          <bdi>{[company.company_name, primary.addressee].join(messages.slash)}</bdi>
        </p>
      ) : null}
      {archived.length === 0 ? null : (
        <details className={styles.archived}>
          <summary>{messages.archived(archived.length)}</summary>
          <People people={archived} onEdit={setOpen} onAct={act} />
        </details>
      )}
      <PartBoundary>
        {open === 'new' ? <PersonDialog companyId={company.id} stored={null} onClose={() => setOpen(null)} /> : null}
        {edited === undefined ? null : (
          <PersonDialog key={edited.id} companyId={company.id} stored={edited} onClose={() => setOpen(null)} />
        )}
      </PartBoundary>
    </Panel>
  );
}

interface PeopleProps {
  readonly people: readonly CompanyPerson[];
  readonly onEdit: (id: number) => void;
  readonly onAct: OnAct;
}

const People = ({ people, ...acts }: PeopleProps) => (
  <ul>
    {people.map((person) => (
      <Person key={person.id} person={person} {...acts} />
    ))}
  </ul>
);

interface PersonProps extends Pick<PeopleProps, 'onEdit' | 'onAct'> {
  readonly person: CompanyPerson;
}

function Person({ person, onEdit, onAct }: PersonProps) {
  const { id, name, department, title, email, phone, met_on, is_primary, archived, suppressed, sent_at } = person;
  const mayEdit = useMay('updatePerson');
  const called = calledOf(person);
  const role = [department, title].filter((text) => text !== '').join(' ');
  return (
    <li className={`entry ${styles.person}`}>
      <span className={styles.star}>
        {is_primary === 1 ? <IconStarFilled size={16} role="img" aria-label={messages.primary} /> : null}
      </span>
      <div className={styles.who}>
        <p className="row">
          <strong>
            <bdi>{name === '' ? messages.noName : name}</bdi>
          </strong>
          {role === '' ? null : <bdi>{role}</bdi>}
          {sent_at === null ? null : <ProspectStatus of={{ status: 'sent', sent_at, send_at: null }} time="day" />}
          {suppressed === null ? null : (
            <>
              <StatusBadge
                look={{ tone: 'amber', Icon: IconBan }}
                word={withNote(messages.suppressedMark, suppressionText(suppressed))}
              />
              <SuppressionReply suppressed={suppressed} />
            </>
          )}
        </p>
        {email === null ? null : (
          <p>
            <bdi className={styles.address}>{email}</bdi>
          </p>
        )}
        {phone === null && met_on === null ? null : (
          <p className="row">
            <PhoneLink phone={phone} />
            {met_on === null ? null : <small>{messages.metOn(plainDay(met_on))}</small>}
          </p>
        )}
      </div>
      {mayEdit ? (
        <div className={`line ${styles.acts}`}>
          <Button
            variant="quiet"
            aria-haspopup="dialog"
            aria-label={messages.editOf(called)}
            onClick={() => onEdit(id)}
          >
            {COMMON_MESSAGES.actions.edit}
          </Button>
          <RowMenu name={messages.actsOf(called)}>
            {actsOf(is_primary === 1, archived === 1).map((act) => (
              <button key={act} type="button" onClick={() => onAct(person, act)}>
                {messages.acts[act]}
              </button>
            ))}
          </RowMenu>
        </div>
      ) : null}
    </li>
  );
}

function actsOf(isPrimary: boolean, isArchived: boolean): readonly PersonAct[] {
  if (isArchived) return ['restore'];
  return [isPrimary ? 'notPrimary' : 'makePrimary', 'archive'];
}

interface SuppressedProps {
  readonly primary: CompanyPerson;
  readonly people: readonly CompanyPerson[];
  readonly onAct: OnAct;
}

/** Says that nothing is sent to the 主担当, and offers others. Nothing goes to the company's own address instead. */
function SuppressedPrimary({ primary, people, onAct }: SuppressedProps) {
  const mayEdit = useMay('updatePerson');
  const others = people.filter(({ id, email, suppressed }) => id !== primary.id && email !== null && !suppressed);
  return (
    <Notice
      tone="warning"
      act={
        mayEdit ? (
          <Menu variant="default" onTop="below" label={messages.change}>
            {others.map((person) => (
              <button key={person.id} type="button" onClick={() => onAct(person, 'makePrimary')}>
                {calledOf(person)}
              </button>
            ))}
            <button type="button" onClick={() => onAct(primary, 'notPrimary')}>
              {messages.acts.notPrimary}
            </button>
          </Menu>
        ) : undefined
      }
    >
      {messages.suppressedHelp}
    </Notice>
  );
}
