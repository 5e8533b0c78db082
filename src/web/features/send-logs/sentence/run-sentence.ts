import type { Run } from '#contract/sending/runs.ts';
import { asSentence } from '#web/lib/phrases.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { decidedMails, isPutOff, isSending, putOffText, runState } from '../run/run-state.ts';
import { UNDO_MESSAGES } from '../undo/words.ts';
import { RUN_SENTENCE_MESSAGES } from './words.ts';

/**
 * Returns sentences about a run: why it waits and until when, and how many mails had which outcome.
 *
 * @param wasStopped a user cancelled it
 */
export function runSentence(run: Run, wasStopped: boolean): string {
  const { targets, sent, failed, unknown, cancelled, finished } = run;
  const { real, test, none, stopped } = RUN_SENTENCE_MESSAGES;
  if (targets === 0) return none;
  if (runState(run) === 'undone') return asSentence(UNDO_MESSAGES.done);
  const texts = run.test_send_mode === 1 ? test : real;
  const head = finished ? (wasStopped ? stopped : '') : waitText(run);
  const outcome = finished || decidedMails(run) > 0 ? '' : texts[nothingYet(run)](targets);
  const arrived = finished ? texts.sent(sent) : texts.partly(sent, targets);
  return [
    head,
    outcome,
    sent > 0 ? arrived : '',
    failed > 0 ? texts.failed(failed) : '',
    unknown > 0 ? texts.unknown(unknown) : '',
    cancelled > 0 ? texts.cancelled(cancelled) : '',
  ].join('');
}

/** Returns what to say about a run without results. For some states the page's head already says that it waits. */
function nothingYet(run: Run): 'begins' | 'waits' | 'goesOn' {
  if (isSending(run)) return 'begins';
  return isPutOff(run) ? 'goesOn' : 'waits';
}

/** Returns why the mails of a mailbox wait, and until when; '' if they do not. */
function mailboxWait({ mailbox_wait, mailbox_until }: Run): string {
  const { mailboxWaits, mailboxUntil } = RUN_SENTENCE_MESSAGES;
  if (mailbox_wait === null) return '';
  return mailboxWaits[mailbox_wait] + (mailbox_until === null ? '' : mailboxUntil(sentenceTime(mailbox_until)));
}

/** Returns why an open run sends nothing, and until when; '' while it sends. */
function waitText(run: Run): string {
  const { waits } = RUN_SENTENCE_MESSAGES;
  const state = runState(run);
  switch (state) {
    case 'waiting':
    case 'sending':
    case 'undone':
    case 'finished':
      return '';
    case 'putOff':
    case 'dayLimit':
      return asSentence(putOffText(run));
    case 'mailbox':
      return mailboxWait(run);
    // The notice above says it.
    case 'refused':
    case 'policy':
    case 'limited':
    case 'transport':
      return '';
    default:
      return waits[state];
  }
}
