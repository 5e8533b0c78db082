import { Button } from '#web/components/button.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { sendPath } from '#web/lib/address/params.ts';
import { hasCode } from '#web/lib/api/query-client.ts';
import { slotsText } from '../reservation-texts.ts';
import { detailOf, slotsOf, type useChangeForm } from './change-form.ts';
import { show } from './conflict.tsx';
import { CHANGE_MESSAGES as messages } from './words.ts';

interface Props {
  readonly form: ReturnType<typeof useChangeForm>;
}

/** Shows refusals that have a remedy: another reservation at that time, or a run that has begun. */
export function Refused({ form }: Props) {
  const { error } = form;
  if (hasCode(error, 'reservation_at_that_time')) {
    const others = messages.companies(Number(detailOf(error, 'targets')));
    const dates = slotsOf(form.form);
    return (
      <Notice
        ref={show}
        tone="warning"
        role="alert"
        act={
          <Button busy={form.busy} onClick={() => form.save(true)}>
            {messages.merge}
          </Button>
        }
      >
        <p>{messages.mergeHelp(others)}</p>
        {dates.length === 0 ? null : <p>{messages.mergeDatesHelp(slotsText(dates))}</p>}
      </Notice>
    );
  }
  if (hasCode(error, 'reservation_started')) {
    const run = detailOf(error, 'send_log_id');
    return (
      <Notice
        ref={show}
        tone="warning"
        role="alert"
        act={run === undefined ? null : <ButtonLink to={sendPath(Number(run))}>{messages.toRun}</ButtonLink>}
      >
        {error?.message}
      </Notice>
    );
  }
  // Another member has saved the same values, so nothing differs.
  const text = form.problem ?? form.conflict;
  return text === undefined ? null : (
    <Notice ref={show} tone={form.problem === undefined ? 'warning' : 'bad'} role="alert">
      {text}
    </Notice>
  );
}
