import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import type { ReactNode } from 'react';
import type { MailTemplate } from '#contract/templates/mail-templates.ts';
import { Button } from '#web/components/button.tsx';
import { Menu } from '#web/components/dialog/menu.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { PageFrame, type WayBack } from '#web/components/page-frame.tsx';
import { ATTACK_LIST_PATH, PATHS } from '#web/lib/address/paths.ts';
import { withNote } from '#web/lib/phrases.ts';
import { keyText } from '#web/lib/screen/keys.ts';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { May, useMay } from '#web/lib/session/use-may.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './mail-template.module.css';
import { TEMPLATE_MESSAGES } from './words.ts';

export type Sender = MailTemplate['senders'][number];

export const BACK: WayBack = { to: PATHS.templates, label: TEMPLATE_MESSAGES.back };

/** Shows the page of a template that is missing or still loading. */
export const EmptyPage = ({ children }: { readonly children: ReactNode }) => (
  <PageFrame title={TEMPLATE_MESSAGES.title} back={BACK} guide="templates" isCut>
    {children}
  </PageFrame>
);

interface Props {
  readonly template: MailTemplate;
  /** The edited name, which phones show nowhere else. */
  readonly name: string;
  readonly dirty: boolean;
  readonly busy: boolean;
  readonly isTesting: boolean;
  /** Whether the member has tested the stored template in this session. */
  readonly isTested: boolean;
  /** The first sender of the template; undefined: nobody uses it. */
  readonly sender: Sender | undefined;
  /** Opens the dialog that has the name on phones. */
  readonly onName: () => void;
  readonly onHistory: () => void;
  readonly onTest: () => void;
  readonly onDiscard: () => void;
  readonly onSave: () => void;
  /** Chooses the sender before the link opens the attack list. */
  readonly onSend: (sender: Sender) => void;
  readonly children: ReactNode;
}

/** Shows a template's name, its last change, and its actions. */
export function TemplateHead({ children, ...props }: Props) {
  const { template, name, dirty, busy, onSave } = props;
  const isNarrow = useNarrowScreen();
  const { inHead, beside } = useActs(props);
  return (
    <PageFrame
      title={isNarrow && name.trim() !== '' ? name : template.name}
      isCut
      back={BACK}
      marks={
        <p className={`note ${styles.state}`} role="status">
          {dirty
            ? TEMPLATE_MESSAGES.unsaved
            : TEMPLATE_MESSAGES.savedBy(sentenceTime(template.updated_at), template.updated_by)}
        </p>
      }
      guide="templates"
      tools={inHead}
      action={
        <>
          {beside}
          <May call="updateMailTemplate">
            <Button
              variant={dirty ? 'primary' : 'default'}
              busy={busy}
              disabled={!dirty}
              title={withNote(COMMON_MESSAGES.actions.save, keyText('save').shown)}
              aria-keyshortcuts={keyText('save').aria}
              onClick={onSave}
            >
              {COMMON_MESSAGES.actions.save}
            </Button>
          </May>
        </>
      }
    >
      {children}
    </PageFrame>
  );
}

const MORE = (
  <>
    <IconDots size={20} aria-hidden />
    <span className="visually-hidden">{TEMPLATE_MESSAGES.more}</span>
  </>
);

/** Returns the acts of the head, and the one beside 保存, whose fixed width keeps 保存 in place. */
function useActs(props: Omit<Props, 'children'>): { readonly inHead: ReactNode; readonly beside: ReactNode } {
  const { template, dirty, isTesting, isTested, sender, onTest, onDiscard, onSend } = props;
  const isNarrow = useNarrowScreen();
  // A test comes before the first sending. Neither can be done with a faulty template: then nothing is filled.
  const isTestNext = !dirty && !isTested;
  const isFilled = !dirty && template.faults.length === 0;
  const isTestBeside = isNarrow && isTestNext;
  const mayEdit = useMay('updateMailTemplate');
  const history = <Button onClick={props.onHistory}>{TEMPLATE_MESSAGES.history}</Button>;
  if (!mayEdit) return { inHead: history, beside: null };
  const test = (
    <Button
      variant={isFilled && isTestNext ? 'primary' : 'default'}
      className={isTestBeside ? styles.nextAct : undefined}
      busy={isTesting}
      onClick={onTest}
    >
      {TEMPLATE_MESSAGES.testSend}
    </Button>
  );
  const send = <SendAct sender={sender} isFilled={isFilled && isTested} onSend={onSend} />;
  const discard = (
    <Button className={styles.nextAct} onClick={onDiscard}>
      {TEMPLATE_MESSAGES.discard}
    </Button>
  );
  return {
    inHead: isNarrow ? (
      <Menu variant="default" label={MORE}>
        <Button onClick={props.onName}>{TEMPLATE_MESSAGES.rename}</Button>
        {history}
        {isTestBeside ? send : test}
      </Menu>
    ) : (
      <>
        {history}
        {test}
      </>
    ),
    beside: dirty ? discard : isTestBeside ? test : send,
  };
}

interface SendProps extends Pick<Props, 'sender' | 'onSend'> {
  readonly isFilled: boolean;
}

/** Leads to the attack list of the template's sender. */
function SendAct({ sender, isFilled, onSend }: SendProps) {
  if (sender === undefined)
    return (
      <Button className={styles.nextAct} disabled title={TEMPLATE_MESSAGES.chooseProfileHelp}>
        {TEMPLATE_MESSAGES.send}
      </Button>
    );
  return (
    <May call="sendMail" groupId={sender.sender_group_id}>
      <ButtonLink
        variant={isFilled ? 'primary' : 'default'}
        className={styles.nextAct}
        to={ATTACK_LIST_PATH}
        onClick={() => onSend(sender)}
      >
        {TEMPLATE_MESSAGES.send}
      </ButtonLink>
    </May>
  );
}
