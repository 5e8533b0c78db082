import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import IconExternalLink from '@tabler/icons-react/dist/esm/icons/IconExternalLink.mjs';
import { useId, useState } from 'react';
import { type Choice, SelectField } from '#web/components/select-field.tsx';
import { useNarrowScreen } from '#web/lib/narrow-screen.ts';
import { type TemplateIds, templateEditorUrl } from '#web/lib/page-settings.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import type { Sender } from './list-senders.ts';
import styles from './sender-selects.module.css';
import { selectSender, selectSenderGroup } from './senders-state.ts';
import type { CurrentSender } from './use-current-sender.ts';
import { SENDER_MESSAGES } from './words.ts';

/** Returns the choices, or one text if they are loading or if there are none. */
const choicesOf = <Item extends { readonly id: number }>(
  items: readonly Item[] | undefined,
  label: (item: Item) => string,
  waiting: string,
  none: string,
): Choice[] => {
  if (items === undefined) return [{ value: '', label: waiting }];
  if (items.length === 0) return [{ value: '', label: none }];
  return items.map((item) => ({ value: String(item.id), label: label(item) }));
};

function labelOf({ subject, is_confirmed, confirmation_sent_at }: Sender): string {
  if (is_confirmed === 1) return subject;
  return confirmation_sent_at === null ? SENDER_MESSAGES.notAsked(subject) : SENDER_MESSAGES.waiting(subject);
}

/** What keeps real mails of a sender from leaving, or from being read. */
function noteOf(sender: Sender | undefined, isBadDomain: Props['isBadDomain']): string | undefined {
  if (sender === undefined) return undefined;
  if (sender.is_confirmed === 0) return SENDER_MESSAGES.unconfirmed;
  return isBadDomain?.(sender.email) === true ? SENDER_MESSAGES.badDomain : undefined;
}

interface Props extends CurrentSender {
  /** Whether the domain of an address is known to have faults. */
  readonly isBadDomain?: (address: string) => boolean;
  /** Returns the path of our own editor of a template. */
  readonly editorPath: (templateId: number) => string;
}

export function SenderSelects({ groups, group, senders, sender, retry, isBadDomain, editorPath }: Props) {
  const noGroup = groups?.length === 0;
  const waiting = retry === undefined ? COMMON_MESSAGES.loading : COMMON_MESSAGES.errors.loadFailed;
  const isNarrow = useNarrowScreen();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const isFolded = isNarrow && !isOpen;
  const chosen = group !== undefined && sender !== undefined;
  return (
    <div className={styles.place}>
      {isNarrow ? (
        <button
          type="button"
          className={styles.fold}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          <b className="visually-hidden">{SENDER_MESSAGES.both}</b>
          <span>{chosen ? SENDER_MESSAGES.chosen(group.group_name, labelOf(sender)) : SENDER_MESSAGES.choose}</span>
          <IconChevronDown size={18} aria-hidden />
        </button>
      ) : null}
      <div id={id} className={styles.selects} hidden={isFolded}>
        <SelectField
          label={SENDER_MESSAGES.group}
          choices={choicesOf(groups, (item) => item.group_name, waiting, SENDER_MESSAGES.noGroup)}
          value={String(group?.id ?? '')}
          onChange={(value) => value !== '' && selectSenderGroup(Number(value))}
        />
        <SelectField
          label={SENDER_MESSAGES.sender}
          help={senders?.length === 0 ? SENDER_MESSAGES.noSenderNote : noteOf(sender, isBadDomain)}
          choices={choicesOf(noGroup ? [] : senders, labelOf, waiting, SENDER_MESSAGES.noSender)}
          value={String(sender?.id ?? '')}
          onChange={(value) => value !== '' && selectSender(Number(value))}
        />
        {sender === undefined ? null : <EditorLink template={sender} ownEditor={editorPath(sender.template_id)} />}
      </div>
    </div>
  );
}

/**
 * A link to the editor of a template, in a new tab.
 * Another service's editor gets no opener and no referrer. Our own gets the opener, because the new tab then starts
 * with a copy of this tab's sessionStorage, and needs no login.
 */
function EditorLink({ template, ownEditor }: { readonly template: TemplateIds; readonly ownEditor: string }) {
  const url = templateEditorUrl(template, ownEditor);
  return url === null ? null : (
    <a
      className={styles.edit}
      href={url}
      target="_blank"
      rel={url === ownEditor ? 'opener' : 'noopener noreferrer'}
      title={SENDER_MESSAGES.newTab}
    >
      {SENDER_MESSAGES.edit}
      <IconExternalLink size={14} aria-hidden />
    </a>
  );
}
