import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import IconExternalLink from '@tabler/icons-react/dist/esm/icons/IconExternalLink.mjs';
import { useId, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { type Choice, SelectField } from '#web/components/field/select-field.tsx';
import { PATHS } from '#web/lib/address/paths.ts';
import { asSentence } from '#web/lib/phrases.ts';
import { Link } from '#web/lib/router/link.tsx';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { type TemplateIds, templateEditorUrl } from '#web/lib/screen/page-settings.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { byLastUse, personOf, type Sender } from './list-senders.ts';
import styles from './sender-selects.module.css';
import { selectSender, selectSenderGroup } from './senders-state.ts';
import type { CurrentSender } from './use-current-sender.ts';
import { SENDER_MESSAGES } from './words.ts';

/** Returns the choices, or one text if they are loading, if they have not loaded, or if there are none. */
const choicesOf = <Item extends { readonly id: number }>(
  items: readonly Item[] | undefined,
  label: (item: Item) => string,
  none: string,
  hasFailed: boolean,
): Choice[] => {
  const waiting = hasFailed ? COMMON_MESSAGES.errors.loadFailed() : COMMON_MESSAGES.loading;
  if (items === undefined) return [{ value: '', label: waiting }];
  if (items.length === 0) return [{ value: '', label: none }];
  return items.map((item) => ({ value: String(item.id), label: label(item) }));
};

const labelOf = (sender: Sender): string =>
  SENDER_MESSAGES.choice(sender.template_name, sender.subject, personOf(sender));

/** Why nothing is chosen, or what keeps real mails of the sender from leaving. */
function noteOf({ senders, sender }: Props): string | undefined {
  if (senders?.length === 0) return SENDER_MESSAGES.noSenderNote;
  return sender?.is_confirmed === 0 ? SENDER_MESSAGES.unconfirmed : undefined;
}

interface Props extends CurrentSender {
  /** Returns the path of our own editor of a template. */
  readonly editorPath: (templateId: number) => string;
  /** Opens what finds a template by its name. */
  readonly onFind: () => void;
}

/** More than a list that opens can be read in. */
const MANY = 50;

export function SenderSelects(props: Props) {
  const { groups, group, senders, sender, isGone, retry } = props;
  const hasFailed = retry !== undefined;
  const isNarrow = useNarrowScreen();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  // What is to be chosen is in sight.
  const isFolded = isNarrow && !isOpen && !isGone;
  const ordered = groups?.length === 0 ? [] : senders && byLastUse(senders);
  const choices = choicesOf(ordered, labelOf, SENDER_MESSAGES.noSender, hasFailed);
  const chosen = group !== undefined && sender !== undefined;
  return (
    <div className={styles.place}>
      {isNarrow ? (
        <button
          type="button"
          className={styles.fold}
          aria-expanded={!isFolded}
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
          choices={choicesOf(groups, (item) => item.group_name, SENDER_MESSAGES.noGroup, hasFailed)}
          value={String(group?.id ?? '')}
          onChange={(value) => value !== '' && selectSenderGroup(Number(value))}
        />
        <SelectField
          label={SENDER_MESSAGES.sender}
          help={noteOf(props)}
          error={isGone ? asSentence(SENDER_MESSAGES.gone) + SENDER_MESSAGES.goneHelp : undefined}
          choices={isGone ? [{ value: '', label: SENDER_MESSAGES.chooseOne }, ...choices] : choices}
          value={String(sender?.id ?? '')}
          onChange={(value) => value !== '' && selectSender(Number(value))}
        />
        <Acts {...props} />
      </div>
    </div>
  );
}

/** Leads to what finds a sender, adds one, or edits the template of the chosen one. */
function Acts({ groups, senders, sender, editorPath, onFind }: Props) {
  const hasNone = groups?.length === 0 || senders?.length === 0;
  return (
    <div className={styles.acts}>
      {senders !== undefined && senders.length > MANY ? (
        <Button aria-haspopup="dialog" aria-label={SENDER_MESSAGES.findName} onClick={onFind}>
          {SENDER_MESSAGES.find}
        </Button>
      ) : null}
      {hasNone ? <Link to={PATHS.settingsGroups}>{SENDER_MESSAGES.settings}</Link> : null}
      {sender === undefined ? null : <EditorLink template={sender} ownEditor={editorPath(sender.template_id)} />}
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
  const mayEdit = useMay('updateMailTemplate');
  return url === null ? null : (
    <a
      href={url}
      target="_blank"
      rel={url === ownEditor ? 'opener' : 'noopener noreferrer'}
      title={SENDER_MESSAGES.newTab}
    >
      {mayEdit ? SENDER_MESSAGES.edit : SENDER_MESSAGES.read}
      <IconExternalLink size={14} aria-hidden />
    </a>
  );
}
