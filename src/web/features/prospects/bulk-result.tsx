import type { BulkAct } from '#contract/companies/companies-bulk.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import styles from '#web/components/dialog/dialog-body.module.css';
import { DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import bulk from './bulk-result.module.css';
import type { BulkAnswer } from './change-prospects.ts';
import { BULK_MESSAGES } from './words.ts';

const FAILURES = ['no_email', 'too_long', 'too_many', 'not_found'] as const;

export const failuresOf = ({ unchanged }: BulkAnswer): number =>
  FAILURES.reduce((sum, name) => sum + unchanged[name], 0);

const reasonsOf = ({ unchanged }: BulkAnswer): string =>
  FAILURES.filter((name) => unchanged[name] > 0)
    .map((name) => BULK_MESSAGES.reasons[name])
    .join(LIST_SEPARATOR);

/** Actions after which a company gets no mail. */
const STOPPING: readonly string[] = ['deactivate', 'suppress', 'archive'];

/** Shows the consequences of an action. @param check undefined: not counted yet */
export function Consequences({ act, check }: { readonly act: BulkAct; readonly check: BulkAnswer | undefined }) {
  const { consequence, counting } = BULK_MESSAGES;
  if (check === undefined) return <p className={styles.consequence}>{counting}</p>;
  const { already } = check.unchanged;
  const isStopping = STOPPING.includes(act);
  const facts = [
    check.changed === 0 ? consequence.nothing : null,
    already > 0 ? consequence.already(already) : null,
    failuresOf(check) > 0 ? consequence.impossible(failuresOf(check), reasonsOf(check)) : null,
    isStopping && check.reserved > 0 ? consequence.reserved(check.reserved) : null,
    isStopping && check.queued > 0 ? consequence.queued(check.queued) : null,
  ].filter((text) => text !== null);
  return (
    <>
      {act === 'archive' || act === 'suppress' ? <p className={styles.consequence}>{consequence[act]}</p> : null}
      {facts.length === 0 ? null : (
        <div className={`tint ${bulk.facts}`}>
          <ul className="bullets">
            {facts.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

interface ResultProps {
  readonly act: BulkAct;
  readonly answer: BulkAnswer;
  readonly onClose: () => void;
}

/** Shows how many companies were changed, and why the others were not, until it is closed. */
export function Result({ act, answer, onClose }: ResultProps) {
  const { already } = answer.unchanged;
  return (
    <Dialog title={BULK_MESSAGES.titles[act]} onClose={onClose}>
      <p role="status" className={styles.question}>
        {BULK_MESSAGES.done[act](answer.changed)}
      </p>
      {already > 0 ? <p className={styles.consequence}>{BULK_MESSAGES.already(already)}</p> : null}
      <p className={styles.consequence}>{BULK_MESSAGES.failed(failuresOf(answer), reasonsOf(answer))}</p>
      <DialogFoot
        act={
          <Button variant="primary" data-autofocus onClick={onClose}>
            {COMMON_MESSAGES.actions.close}
          </Button>
        }
      />
    </Dialog>
  );
}
