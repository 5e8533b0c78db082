import type { Icon } from '@tabler/icons-react';
import IconArchive from '@tabler/icons-react/dist/esm/icons/IconArchive.mjs';
import IconArchiveOff from '@tabler/icons-react/dist/esm/icons/IconArchiveOff.mjs';
import IconArrowBackUp from '@tabler/icons-react/dist/esm/icons/IconArrowBackUp.mjs';
import IconBan from '@tabler/icons-react/dist/esm/icons/IconBan.mjs';
import IconFileImport from '@tabler/icons-react/dist/esm/icons/IconFileImport.mjs';
import IconMail from '@tabler/icons-react/dist/esm/icons/IconMail.mjs';
import IconMailCheck from '@tabler/icons-react/dist/esm/icons/IconMailCheck.mjs';
import IconMessageReply from '@tabler/icons-react/dist/esm/icons/IconMessageReply.mjs';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconRobot from '@tabler/icons-react/dist/esm/icons/IconRobot.mjs';
import IconToggleLeft from '@tabler/icons-react/dist/esm/icons/IconToggleLeft.mjs';
import IconToggleRight from '@tabler/icons-react/dist/esm/icons/IconToggleRight.mjs';
import type { CompanyDetail, TimelineEvent } from '#contract/companies/companies.ts';
import { personFieldName } from '#contract/companies/people-names.ts';
import { Button } from '#web/components/button.tsx';
import { TestTag } from '#web/components/inline/test-tag.tsx';
import { shownValue } from '#web/lib/data/company-value.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { LIST_SEPARATOR, withNote } from '#web/lib/phrases.ts';
import { Link } from '#web/lib/router/link.tsx';
import { listTime, sentenceTime } from '#web/lib/screen-time.ts';
import styles from './company.module.css';
import { labelOf } from './company-form.ts';
import type { MailParts } from './mail-parts.ts';
import { calledOf } from './people/people-query.ts';
import { PEOPLE_MESSAGES } from './people/words.ts';
import { COMPANY_MESSAGES, TIMELINE_MESSAGES } from './words.ts';

const ICONS: Readonly<Record<TimelineEvent['kind'], Icon>> = {
  mail: IconMail,
  recorded: IconMailCheck,
  added: IconPlus,
  imported: IconFileImport,
  import_undone: IconArrowBackUp,
  edited: IconPencil,
  archived: IconArchive,
  restored: IconArchiveOff,
  activated: IconToggleRight,
  deactivated: IconToggleLeft,
  remarked: IconPencil,
  suppressed: IconBan,
  replied: IconMessageReply,
  auto_replied: IconRobot,
};

/** Whether the sentence of a mail says all of it: nothing else has kept it from leaving. */
const isTakenBack = ({ state, reason }: TimelineEvent): boolean => state === 'cancelled' && reason === 'run_cancelled';

const isFailed = ({ kind, state }: TimelineEvent): boolean => kind === 'mail' && state === 'failed';

/** Returns what happened, as one sentence. */
function eventText(event: TimelineEvent): string {
  const { kind, state, file_name, import_run_id } = event;
  const { kinds, mails } = TIMELINE_MESSAGES;
  if (kind === 'mail') return isTakenBack(event) ? TIMELINE_MESSAGES.takenBack : mails[state ?? 'queued'];
  const byImport = import_run_id === null ? {} : TIMELINE_MESSAGES.byImport;
  const text = { ...kinds, ...byImport }[kind];
  return file_name === null ? text : withNote(text, file_name);
}

interface Props {
  readonly event: TimelineEvent;
  readonly groupName: string | undefined;
  /** The people of the company. */
  readonly people: CompanyDetail['people'];
  readonly mails: MailParts;
}

/** Shows one line of the history: when, what, by whom, and the details. */
export function EventLine({ event, groupName, people, mails }: Props) {
  const { kind, at, member_name, subject, mail_to, person, delivery_id, send_log_id, test_send_mode, changes } = event;
  const Icon = ICONS[kind];
  const facts = [groupName, member_name].filter((fact) => fact !== undefined && fact !== null);
  return (
    <li className={`entry ${styles.event}`}>
      <Icon size={16} aria-hidden />
      <div>
        <p className="row">
          <time>{listTime(at)}</time>
          <strong data-state={isFailed(event) ? 'bad' : undefined}>{eventText(event)}</strong>
          {test_send_mode === 1 ? <TestTag /> : null}
          {kind === 'mail' && !isTakenBack(event) ? mails.renderOutcome(event) : null}
          {facts.length === 0 ? null : <small>{facts.join(LIST_SEPARATOR)}</small>}
        </p>
        {subject === null ? null : <p>{subject}</p>}
        {mail_to === null ? null : (
          <p>
            {TIMELINE_MESSAGES.to(person === null ? mail_to : DATA_MESSAGES.mail.address(person.addressee, mail_to))}
          </p>
        )}
        <Changes kind={kind} changes={changes} people={people} />
        {delivery_id === null ? null : (
          <Button
            variant="quiet"
            aria-label={withNote(TIMELINE_MESSAGES.showMail, sentenceTime(at))}
            onClick={() => mails.onShow(delivery_id)}
          >
            {TIMELINE_MESSAGES.showMail}
          </Button>
        )}
        {send_log_id === null ? null : (
          <Link to={mails.runPath(send_log_id)} className={styles.run}>
            {TIMELINE_MESSAGES.showRun}
          </Link>
        )}
      </div>
    </li>
  );
}

const UNITS: Readonly<Record<string, string>> = COMPANY_MESSAGES.units;

/** The change of the 主担当, whose values are ids of people. */
const PRIMARY = 'person_id';

/** Returns the name of a changed field, of the company or of one of its people. */
const nameOf = (field: string): string =>
  field === PRIMARY ? PEOPLE_MESSAGES.primary : (personFieldName(field) ?? labelOf(field));

function primaryName(people: CompanyDetail['people'], id: string | number | null): string {
  if (id === null) return '';
  const person = people.find((one) => String(one.id) === String(id));
  return person === undefined ? PEOPLE_MESSAGES.goneName : calledOf(person);
}

interface ChangesProps extends Pick<TimelineEvent, 'kind' | 'changes'> {
  readonly people: CompanyDetail['people'];
}

function Changes({ kind, changes, people }: ChangesProps) {
  if (changes.length === 0) return null;
  const shown = (field: string, value: string | number | null) => {
    const text = field === PRIMARY ? primaryName(people, value) : shownValue(field, value);
    return text === '' ? TIMELINE_MESSAGES.blank : text + (UNITS[field] ?? '');
  };
  return (
    <ul>
      {changes.map(({ field, label = nameOf(field), old, new: next }) => (
        <li key={field}>
          {kind === 'added' ? (
            TIMELINE_MESSAGES.value(label)
          ) : (
            <>
              {TIMELINE_MESSAGES.change(label)}
              <bdi>{shown(field, old)}</bdi> →{' '}
            </>
          )}
          <bdi>{shown(field, next)}</bdi>
        </li>
      ))}
    </ul>
  );
}
