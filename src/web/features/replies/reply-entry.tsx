import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconMessageReply from '@tabler/icons-react/dist/esm/icons/IconMessageReply.mjs';
import IconRobot from '@tabler/icons-react/dist/esm/icons/IconRobot.mjs';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import dialogBody from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { StatusBadge, type StatusLook } from '#web/components/inline/status-badge.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { prospectPath } from '#web/lib/address/paths.ts';
import { hasCode } from '#web/lib/api/query-client.ts';
import { withNote } from '#web/lib/phrases.ts';
import { Link } from '#web/lib/router/link.tsx';
import { toast } from '#web/lib/screen/toast.ts';
import { listTime, sentenceTime } from '#web/lib/screen-time.ts';
import { May } from '#web/lib/session/use-may.ts';
import styles from './replies.module.css';
import { putReply, type Reply, type ReplyChange, reloadReplies } from './reply-query.ts';
import { REPLY_MESSAGES as messages } from './words.ts';

export type Act = keyof typeof messages.acts;

/** Returns the actions that a reply permits. */
export function actsOf({ kind, is_doubtful, is_unclear, handled_at }: Reply): readonly Act[] {
  if (handled_at !== null) return ['reopen'];
  if (kind === 'auto_reply') return ['answer'];
  if (is_unclear === 1) return ['refuse', 'proceed', 'notReply'];
  if (is_doubtful === 1) return ['refuse', 'proceed'];
  return kind === 'reply' ? ['refuse', 'handle', 'automatic'] : ['refuse', 'handle'];
}

interface Props {
  readonly reply: Reply;
  readonly company: string;
  /** Whether 対応済みにする is the filled button of the screen. */
  readonly isNext: boolean;
}

const CHANGES: Readonly<Record<Act, ReplyChange>> = {
  refuse: { refused: 1 },
  proceed: { handled: 1 },
  handle: { handled: 1 },
  automatic: { kind: 'auto_reply' },
  reopen: { handled: 0 },
  answer: { kind: 'reply' },
  notReply: { not_a_reply: 1 },
};

interface Acted {
  readonly act: Act;
  /** The reply's sender address, if it can be suppressed too. */
  readonly from_address?: string;
}

/** Shows one reply: its author, time, beginning, and the actions on it. */
export function ReplyEntry({ reply, company, isNext }: Props) {
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const { mutate, isPending } = useMutation({
    mutationFn: ({ act, ...more }: Acted) => putReply(reply.id, { ...CHANGES[act], ...more }),
    onSuccess: (_, { act }) => {
      setAsking(false);
      toast('success', messages.done[act]);
      reloadReplies(client);
    },
    onError: (error) => {
      if (hasCode(error, 'reply_changed')) reloadReplies(client);
    },
  });
  const { at, handled_at, handled_by } = reply;
  const when = sentenceTime(at);
  return (
    <li className="stack-tight entry">
      <p className={`row ${styles.head}`}>
        <StatusBadge {...badgeOf(reply)} />
        <time>{listTime(at)}</time>
        {handled_at === null ? null : <small>{messages.handledAt(sentenceTime(handled_at), handled_by)}</small>}
      </p>
      <ReplyText reply={reply} />
      <May call="updateReply">
        <div className="acts">
          {actsOf(reply).map((act) => (
            <Button
              key={act}
              variant={isNext && act === 'handle' ? 'primary' : 'default'}
              busy={isPending}
              aria-label={withNote(messages.acts[act], when)}
              {...(act === 'refuse' && { 'aria-haspopup': 'dialog' as const })}
              onClick={() => (act === 'refuse' ? setAsking(true) : mutate({ act }))}
            >
              {messages.acts[act]}
            </Button>
          ))}
        </div>
      </May>
      {isAsking ? (
        <RefuseDialog
          reply={reply}
          company={company}
          isBusy={isPending}
          onRefuse={(writer) => mutate({ act: 'refuse', ...(writer !== null && { from_address: writer }) })}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </li>
  );
}

/** Shows a reply's text and its effect. */
function ReplyText({ reply }: Pick<Props, 'reply'>) {
  const { kind, from_address, from_check, from_company, folded, subject, excerpt, is_refusal, noted_by } = reply;
  const isOpen = kind !== 'auto_reply' && reply.handled_at === null;
  const isInDoubt = isOpen && reply.is_doubtful === 1;
  return (
    <>
      {from_address === '' ? null : <p>{from_address}</p>}
      {from_company === null ? null : (
        <p>
          {messages.fromCompany}
          <Link to={prospectPath(from_company.id)}>{from_company.company_name}</Link>
        </p>
      )}
      {noted_by === null ? null : (
        <p>
          <small>{messages.notedBy(noted_by)}</small>
        </p>
      )}
      {subject === '' ? null : <p className={styles.subject}>{subject}</p>}
      {excerpt === '' ? null : (
        <p className={`tint ${styles.excerpt}`}>
          <bdi>{excerpt}</bdi>
        </p>
      )}
      {is_refusal === 1 ? (
        <Notice tone="warning">
          {from_check === 'unchecked' ? messages.uncheckedRefusalHelp : messages.refusalHelp}
        </Notice>
      ) : null}
      {isInDoubt ? <Notice tone="warning">{doubtHelpOf(reply)}</Notice> : null}
      {folded === 0 ? null : (
        <p>
          <small>{messages.foldedHelp(folded)}</small>
        </p>
      )}
      {isOpen && !isInDoubt ? (
        <p>
          <small>{messages.stoppedHelp}</small>
        </p>
      ) : null}
      {kind === 'auto_reply' ? (
        <p>
          <small>{messages.automaticHelp}</small>
        </p>
      ) : null}
    </>
  );
}

const doubtHelpOf = ({ is_unclear }: Reply): string =>
  is_unclear === 1 ? messages.unclearHelp : messages.doubtfulHelp;

function badgeOf({ kind, is_doubtful, handled_at }: Reply): { readonly look: StatusLook; readonly word: string } {
  if (handled_at !== null) return { look: { tone: 'green', Icon: IconCheck }, word: messages.handled };
  if (kind === 'auto_reply') return { look: { tone: 'neutral', Icon: IconRobot }, word: messages.kinds.auto_reply };
  const look = { tone: 'amber', Icon: IconMessageReply } as const;
  return { look, word: is_doubtful === 1 ? messages.doubtful : messages.kinds[kind] };
}

interface RefuseDialogProps {
  readonly reply: Reply;
  readonly company: string;
  readonly isBusy: boolean;
  /** @param writer the reply's unverified sender address if its box was ticked; null: it was not */
  readonly onRefuse: (writer: string | null) => void;
  readonly onClose: () => void;
}

/** Asks before a company that replied gets no more mail. */
function RefuseDialog({ reply, company, isBusy, onRefuse, onClose }: RefuseDialogProps) {
  const { refusing, acts } = messages;
  const { from_address: from, from_check, from_company } = reply;
  // A later reply may replace the shown one: the tick is valid only for the address that stood beside it.
  const [ticked, setTicked] = useState<string | null>(null);
  const isTicked = from_check === 'unchecked' && ticked === from;
  const id = useId();
  return (
    <Dialog title={refusing.title} onClose={() => !isBusy && onClose()}>
      <p className={dialogBody.question}>{refusing.question(company)}</p>
      <p className={dialogBody.consequence}>{refusing.consequence(from_check === 'checked')}</p>
      {from_check === 'unchecked' ? (
        <div className={`stack-tight ${styles.writer}`}>
          <label>
            <input
              type="checkbox"
              checked={isTicked}
              aria-describedby={id}
              onChange={({ target }) => setTicked(target.checked ? from : null)}
            />
            <span>{refusing.writer(from)}</span>
          </label>
          <p id={id} className={`note ${styles.dim}`}>
            {from_company === null ? refusing.writerHelp : refusing.writerCompanyHelp(from_company.company_name)}
          </p>
        </div>
      ) : null}
      <DialogFoot
        stay={<CancelButton busy={isBusy} onClick={onClose} data-autofocus />}
        act={
          <Button variant="primary" busy={isBusy} onClick={() => onRefuse(isTicked ? from : null)}>
            {acts.refuse}
          </Button>
        }
      />
    </Dialog>
  );
}
