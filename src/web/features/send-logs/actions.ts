import type { CallAnswer } from '#contract/call.ts';
import type { Run } from '#contract/sending/runs.ts';
import type { steerRun } from '#contract/sending/runs-changes.ts';
import type { DeliveryRow } from '#contract/sending/send-logs.ts';
import { type ApiFailure, call } from '#web/lib/api/call.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { companies, LIST_SEPARATOR, mails } from '#web/lib/phrases.ts';
import type { Router } from '#web/lib/router/router.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { DELIVERY_MESSAGES } from './deliveries/words.ts';
import { followOpenRuns } from './followed/followed-runs-state.ts';
import { RESTORED_RUN_MESSAGES } from './restored/words.ts';
import { awaitsStart, openMails } from './run/run-state.ts';
import { tellGivenBack } from './undo-lines/tell-given-back.ts';
import { HISTORY_MESSAGES } from './words.ts';

/** An action on a run or a mail that needs a confirmation. */
export interface Action {
  readonly title: string;
  readonly question: string;
  readonly consequence: string;
  readonly button: string;
  /** The dialog's own word for the act, with its extent; absent: as the button that opened it. */
  readonly confirm?: string;
  /** The dialog's word for changing nothing; absent: キャンセル. */
  readonly stay?: string;
  /** Whether it is irreversible. */
  readonly isFinal?: true;
  /** Runs the action and shows a toast. @returns the failure, or null */
  readonly perform: (navigate: Router['navigate']) => Promise<ApiFailure | null>;
}

const steer =
  (
    id: number,
    state: 'paused' | 'sending' | 'cancelled',
    tell: (answer: CallAnswer<typeof steerRun>, navigate: Router['navigate']) => void,
  ): Action['perform'] =>
  async (navigate) => {
    const body = { update_info: { state } };
    const answer = await call('steerRun', { params: { id: String(id) }, body });
    if (!answer.ok) return answer;
    tell(answer.data, navigate);
    return null;
  };

const { pause, resume, takeBack, cancel, retry } = HISTORY_MESSAGES;

const pauseRun = ({ id }: Run): Action => ({
  ...pause,
  perform: steer(id, 'paused', () => toast('success', pause.done)),
});
const resumeRun = ({ id }: Run): Action => ({
  ...resume,
  perform: steer(id, 'sending', () => toast('success', resume.done)),
});
/** Cancelling has no own toast: the end of the run reports what was sent. Only a restored reservation has one here. */
const cancelRun = (run: Run): Action => ({
  ...cancel,
  ...(awaitsStart(run)
    ? takeBack
    : {
        confirm: cancel.rest(run.test_send_mode === 1 ? mails(openMails(run)) : companies(openMails(run))),
        stay: run.paused_by === null ? cancel.goOn : cancel.stayPaused,
      }),
  isFinal: true,
  perform: steer(run.id, 'cancelled', (answer, navigate) => {
    followOpenRuns([run.id]);
    tellGivenBack(answer, navigate);
  }),
});

const { send, drop } = RESTORED_RUN_MESSAGES;

/** Returns the actions on a run: pause or resume, and cancel; none once it has ended. */
export function stepsOf(run: Run): readonly Action[] {
  const { id, finished, paused_by } = run;
  if (finished) return [];
  if (paused_by !== 'restored') return [paused_by === null ? pauseRun(run) : resumeRun(run), cancelRun(run)];
  return [
    { ...send, perform: steer(id, 'sending', () => toast('success', send.done)) },
    { ...drop, isFinal: true, perform: steer(id, 'cancelled', () => followOpenRuns([id])) },
  ];
}

export const retryFailed = ({ id, failed }: Run): Action => ({
  ...retry,
  question: retry.question(failed),
  perform: async () => {
    const answer = await call('retryFailures', { params: { id: String(id) } });
    if (!answer.ok) return answer;
    const { accepted, skipped } = answer.data;
    const reasons = [...new Set(skipped.map(({ reason }) => DATA_MESSAGES.leftOut.reasons[reason]))].join(
      LIST_SEPARATOR,
    );
    const lines = [
      ...(accepted > 0 ? [retry.done(accepted)] : []),
      ...(skipped.length > 0 ? [retry.skipped(skipped.length, reasons)] : []),
    ];
    toast(accepted > 0 ? 'success' : 'warning', lines.join('\n') || retry.done(0));
    return null;
  },
});

type Undecided = Pick<DeliveryRow, 'id' | 'claim_no' | 'company_name' | 'state'>;

const decide =
  ({ id, claim_no }: Undecided, state: 'sent' | 'queued', done: string): Action['perform'] =>
  async () => {
    const body = { update_info: { state }, claim_no };
    const answer = await call('decideUnknown', { params: { id: String(id) }, body });
    if (!answer.ok) return answer;
    toast('success', done);
    return null;
  };

const { countAsSent: count, sendAgain: again } = DELIVERY_MESSAGES;

const countAsSent = (mail: Undecided): Action => ({
  ...count,
  question: count.question(mail.company_name),
  isFinal: true,
  perform: decide(mail, 'sent', count.done),
});
const sendAgain = (mail: Undecided): Action => ({
  ...again,
  question: again.question(mail.company_name),
  isFinal: true,
  perform: decide(mail, 'queued', again.done),
});

/** Returns the two ways to settle a mail whose outcome is unknown; none for another one. */
export const decisionsOf = (mail: Undecided): readonly Action[] =>
  mail.state === 'unknown' ? [countAsSent(mail), sendAgain(mail)] : [];
