import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import { asMessage } from '#web/lib/phrases.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import type { ReservationDetail } from '../reservation-queries.ts';
import { slotsText } from '../reservation-texts.ts';
import { ALL_RESERVATIONS_MESSAGES } from '../words.ts';
import { type ChangeForm, removedOf, type SenderChoice, slotsOf } from './change-form.ts';
import styles from './reservation-dialog.module.css';
import { CHANGE_MESSAGES } from './words.ts';

const { conflict: messages, companies, sender: senderText, template } = CHANGE_MESSAGES;
const { columns } = ALL_RESERVATIONS_MESSAGES;

interface Props {
  /** The server's sentence: who changed it, and when; undefined: a reload found the change. */
  readonly message: string | undefined;
  readonly form: ChangeForm;
  /** What was stored when the user began. */
  readonly base: ChangeForm;
  readonly stored: ChangeForm;
  readonly detail: ReservationDetail;
  readonly senders: readonly SenderChoice[];
}

/** Scrolls up to a notice above the fields, of which the last may be in view. Tests have no layout to scroll. */
export const show = (notice: HTMLElement | null): void => notice?.scrollIntoView?.({ block: 'nearest' });

/** Shows the user's values beside those that another member has saved meanwhile, field by field. */
export function Conflict({ message, ...sides }: Props) {
  return (
    <div ref={show} role="alert" className={styles.conflict}>
      <p className="line">
        <IconAlertTriangle size={18} aria-hidden data-state="look" />
        <strong>{asMessage(message ?? COMMON_MESSAGES.theirChanges.title)}</strong>
      </p>
      <p className="note">{messages.help}</p>
      <table>
        <thead>
          <tr>
            <td />
            <th scope="col">{messages.mine}</th>
            <th scope="col">{messages.saved}</th>
          </tr>
        </thead>
        <tbody>
          {differences(sides).map(({ name, mine, saved }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{mine}</td>
              <td>{saved}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Lists also what only the other member has changed: saving keeps it. */
function differences({ form, base, stored, detail, senders }: Omit<Props, 'message'>) {
  const nameOf = (id: number) => {
    const found = id === detail.sender.id ? detail.sender : senders.find((sender) => sender.id === id);
    return found === undefined ? '' : senderText(found.subject, found.person_in_charge);
  };
  const textOf: Readonly<Record<keyof ChangeForm, (of: ChangeForm) => string>> = {
    sendAt: ({ sendAt }) => sentenceTime(sendAt),
    candidates: (of) => slotsText(slotsOf(of)) || messages.none,
    senderId: ({ senderId }) => nameOf(senderId),
    removed: (of) => companies(detail.targets - removedOf(of).length),
  };
  const names = {
    sendAt: columns.send_at,
    candidates: columns.candidates,
    senderId: template,
    removed: columns.targets,
  };
  return (Object.keys(textOf) as (keyof ChangeForm)[])
    .filter((field) => form[field] !== stored[field] || base[field] !== stored[field])
    .map((field) => ({
      name: names[field],
      mine: form[field] === stored[field] ? messages.untouched : textOf[field](form),
      saved: textOf[field](stored),
    }));
}
