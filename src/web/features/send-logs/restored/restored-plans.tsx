import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import { reloadLists } from '#web/lib/api/reload-lists.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { asMessage } from '#web/lib/phrases.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { May } from '#web/lib/session/use-may.ts';
import type { Action } from '../actions.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { RESTORED_MESSAGES as messages } from './words.ts';

/** Decides about all runs and reservations that were open in a restored backup. */
const decideAll = (act: 'send' | 'drop', runs: number, reservations: number): Action => ({
  ...messages[act],
  confirm: messages[act].confirm(messages.decided(runs, reservations)),
  ...(act === 'drop' && { isFinal: true }),
  perform: async () => {
    const answer = await call('decideRestored', { body: { act } });
    if (!answer.ok) return answer;
    const { over, ...of } = answer.data;
    const decided = messages.decided(of.runs, of.reservations);
    if (decided !== '') toast('success', messages[act].done(decided));
    if (over > 0) toast('info', asMessage(messages.overHelp(over)));
    return null;
  },
});

/** Shows how many runs and reservations have been on hold since a restore, and decides about all of them. */
export function RestoredPlans({ runs, mails, reservations, over }: AnswerOf<'getRestored'>) {
  const [asked, setAsked] = useState<'send' | 'drop' | null>(null);
  const client = useQueryClient();
  // Those whose time has passed cannot be sent as planned.
  const due = asked === 'send' ? reservations - over : reservations;
  return (
    <Notice
      tone="warning"
      act={
        <May call="decideRestored">
          <span className="row">
            {runs + reservations === over ? null : (
              <Button onClick={() => setAsked('send')}>{messages.send.button}</Button>
            )}
            <Button onClick={() => setAsked('drop')}>{messages.drop.button}</Button>
          </span>
        </May>
      }
    >
      <p>
        <strong>{messages.open(runs, mails, reservations)}</strong> {DATA_MESSAGES.restored.help}
      </p>
      {over === 0 ? null : <p>{messages.overHelp(over)}</p>}
      {asked === null ? null : (
        <ConfirmDialog
          action={decideAll(asked, runs, due)}
          onClose={() => setAsked(null)}
          onChanged={() => reloadLists(client)}
        />
      )}
    </Notice>
  );
}
