import { useId, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog.tsx';
import styles from '#web/components/dialog-body.module.css';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import replies from './replies.module.css';
import type { Reply } from './reply-query.ts';
import { REPLY_MESSAGES } from './words.ts';

interface Props {
  readonly reply: Reply;
  readonly company: string;
  readonly isBusy: boolean;
  /** @param writer the address of who wrote the answer, where it is unchecked and was ticked; null: it was not */
  readonly onRefuse: (writer: string | null) => void;
  readonly onClose: () => void;
}

/** Asks before a company that answered gets no mail any more. */
export function RefuseDialog({ reply, company, isBusy, onRefuse, onClose }: Props) {
  const { refusing, acts } = REPLY_MESSAGES;
  const { from_address: from, from_check, from_company } = reply;
  // A later answer may replace the shown one: the tick holds for the address that was read beside it.
  const [ticked, setTicked] = useState<string | null>(null);
  const isTicked = from_check === 'unchecked' && ticked === from;
  const id = useId();
  return (
    <Dialog title={refusing.title} onClose={() => !isBusy && onClose()}>
      <p className={styles.question}>{refusing.question(company)}</p>
      <p className={styles.consequence}>{refusing.consequence(from_check === 'checked')}</p>
      {from_check === 'unchecked' ? (
        <div className={replies.writer}>
          <label>
            <input
              type="checkbox"
              checked={isTicked}
              aria-describedby={id}
              onChange={({ target }) => setTicked(target.checked ? from : null)}
            />
            <span>{refusing.writer(from)}</span>
          </label>
          <p id={id} className={replies.dim}>
            {from_company === null ? refusing.writerHelp : refusing.writerCompanyHelp(from_company.company_name)}
          </p>
        </div>
      ) : null}
      <div className={styles.buttons}>
        <Button busy={isBusy} onClick={onClose} data-autofocus>
          {COMMON_MESSAGES.actions.cancel}
        </Button>
        <Button variant="primary" busy={isBusy} onClick={() => onRefuse(isTicked ? from : null)}>
          {acts.refuse}
        </Button>
      </div>
    </Dialog>
  );
}
