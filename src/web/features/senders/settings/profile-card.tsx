import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconClock from '@tabler/icons-react/dist/esm/icons/IconClock.mjs';
import IconMail from '@tabler/icons-react/dist/esm/icons/IconMail.mjs';
import IconPlugConnectedX from '@tabler/icons-react/dist/esm/icons/IconPlugConnectedX.mjs';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '#web/components/button.tsx';
import { Chip } from '#web/components/inline/chip.tsx';
import { StatusBadge } from '#web/components/inline/status-badge.tsx';
import { PATHS, templatePath } from '#web/lib/address/paths.ts';
import { mailboxList } from '#web/lib/data/mailboxes.ts';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { Link } from '#web/lib/router/link.tsx';
import { templateEditorUrl } from '#web/lib/screen/page-settings.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { May } from '#web/lib/session/use-may.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { askConfirmation } from './changes.ts';
import styles from './sender-settings.module.css';
import { type PairRow, type ProfileRow, reloadSenders } from './settings-query.ts';
import { SENDER_SETTINGS_MESSAGES as messages } from './words.ts';

interface Props {
  readonly profile: ProfileRow;
  readonly pairs: readonly PairRow[];
  readonly markOf: (address: string) => ReactNode;
  readonly onEdit: () => void;
}

/** Shows a person who sends mails: the address with its problems, and the templates. */
export function ProfileCard({ profile, pairs, markOf, onEdit }: Props) {
  const { person_in_charge, email } = profile;
  return (
    <li className={`entry ${styles.person}`}>
      <div className="stack-tight">
        <h3>{person_in_charge}</h3>
        <div className={styles.address}>
          <span>{email}</span>
          <AddressState profile={profile} />
          {markOf(email)}
        </div>
        <Facts profile={profile} />
      </div>
      {pairs.length === 0 ? (
        <div className={styles.address}>
          <span className="note">{messages.noTemplate}</span>
          <May call="updateSenderProfile" groupId={profile.sender_group_id}>
            <Button onClick={onEdit}>{messages.chooseTemplates}</Button>
          </May>
        </div>
      ) : (
        <div className="stack-tight">
          <span className="note" aria-hidden>
            {messages.templates}
          </span>
          <Templates pairs={pairs} />
        </div>
      )}
      <EditButton profile={profile} onEdit={onEdit} />
    </li>
  );
}

export const EditButton = ({ profile, onEdit }: Pick<Props, 'profile' | 'onEdit'>) => (
  <May call="updateSenderProfile" groupId={profile.sender_group_id}>
    <Button variant="quiet" aria-label={messages.editOf(profile.person_in_charge)} onClick={onEdit}>
      {COMMON_MESSAGES.actions.edit}
    </Button>
  </May>
);

/** Shows the address as 未確認 until a confirmation mail is requested, and as 確認待ち until its link is used. */
function AddressState({
  profile: { sender_id, sender_group_id, email, mailbox_id, is_confirmed, confirmation_sent_at: sentAt },
}: Pick<Props, 'profile'>) {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      await askConfirmation(sender_id, email);
      await reloadSenders(client);
    },
  });
  if (is_confirmed === 1) return <StatusBadge look={{ tone: 'green', Icon: IconCheck }} word={messages.confirmed} />;
  if (mailbox_id !== null) {
    return (
      <>
        <StatusBadge look={{ tone: 'amber', Icon: IconPlugConnectedX }} word={messages.notConnected} />
        <Link to={PATHS.settingsMailboxes}>{messages.toMailboxes}</Link>
      </>
    );
  }
  return (
    <>
      {sentAt === null ? (
        <StatusBadge look={{ tone: 'amber', Icon: IconMail }} word={messages.unconfirmed} />
      ) : (
        <StatusBadge look={{ tone: 'amber', Icon: IconClock }} word={messages.waiting} />
      )}
      {sentAt === null ? null : <span className="note">{messages.sentAt(sentenceTime(sentAt))}</span>}
      <May call="sendSenderConfirmation" groupId={sender_group_id}>
        <Button busy={isPending} onClick={() => mutate()}>
          {sentAt === null ? messages.sendConfirmation : messages.sendConfirmationAgain}
        </Button>
      </May>
    </>
  );
}

/** Shows the settings of a person that differ from the defaults. */
function Facts({ profile: { mailbox_id, reply_to, bcc, mails_per_minute } }: Pick<Props, 'profile'>) {
  const { data: mailboxes } = useQuery({ ...mailboxList, meta: { quiet: true }, enabled: mailbox_id !== null });
  const mailbox = mailboxes?.find(({ id }) => id === mailbox_id);
  const facts = [
    ...(mailbox === undefined ? [] : [messages.mailboxOf(mailbox.name)]),
    ...(reply_to === null ? [] : [messages.replyToOf(reply_to)]),
    ...(bcc === null ? [] : [messages.bccOf(bcc.replaceAll(',', LIST_SEPARATOR))]),
    ...(mails_per_minute === null ? [] : [messages.limitOf(mails_per_minute)]),
  ];
  if (facts.length === 0) return null;
  return (
    <ul className={`note ${styles.facts}`}>
      {facts.map((fact) => (
        <li key={fact}>{fact}</li>
      ))}
    </ul>
  );
}

/** The number of templates shown; further ones are only counted. */
const SHOWN = 8;

function Templates({ pairs }: Pick<Props, 'pairs'>) {
  const rest = pairs.length - SHOWN;
  return (
    <ul className={styles.chips} aria-label={messages.templates}>
      {pairs.slice(0, SHOWN).map((pair) => (
        <li key={pair.id}>
          <Chip title={pair.own_subject ?? pair.template_name} link={linkTo(pair)}>
            {pair.own_subject === null ? pair.template_name : messages.ownSubjectOf(pair.template_name)}
          </Chip>
        </li>
      ))}
      {rest > 0 ? <li className="note">{messages.moreTemplates(rest)}</li> : null}
    </ul>
  );
}

/** Links to the external editor that the server names, in a new tab, or else to this client's editor. */
function linkTo(pair: PairRow) {
  const own = templatePath(pair.template_id);
  const to = templateEditorUrl(pair, own) ?? own;
  return to === own ? { to } : { to, target: '_blank', rel: 'noopener noreferrer' };
}
