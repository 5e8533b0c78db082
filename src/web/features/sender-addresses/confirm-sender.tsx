import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { type AnswerOf, type ApiResult, call, isUnreachable } from '#web/lib/api/call.ts';
import { useSession } from '#web/lib/session/session-store.ts';
import { SENDER_CONFIRMATION_MESSAGES as messages } from './words.ts';

export type Result = ApiResult<AnswerOf<'confirmSenderAddress'>>;

interface Props {
  /** The secret in the mailed link; undefined: it was used. */
  readonly secret: string | undefined;
  /** The server's answer; null: none yet. */
  readonly result: Result | null;
  readonly onResult: (result: Result | null) => void;
}

/** Confirms an address when its owner presses the button, not at opening: mail scanners open links. */
export function ConfirmSender({ secret, result, onResult }: Props) {
  const [busy, setBusy] = useState(false);

  async function confirm(key: string): Promise<void> {
    setBusy(true);
    // The server detects the session of another account; visitors have no session.
    const { token } = useSession.getState();
    const input = { body: { key } };
    const answer = await call('confirmSenderAddress', input, { token });
    setBusy(false);
    onResult(answer);
  }

  const isOver = result !== null && (result.ok || !isUnreachable(result));
  return (
    <>
      {result === null ? <p>{messages.help}</p> : null}
      <div role="status">
        {busy ? <p>{messages.confirming}</p> : null}
        {busy || result === null ? null : <Outcome result={result} />}
      </div>
      {isOver || secret === undefined ? null : (
        <Button variant="primary" busy={busy} onClick={() => void confirm(secret)}>
          {messages.confirm}
        </Button>
      )}
    </>
  );
}

function Outcome({ result }: { readonly result: Result }) {
  if (result.ok) {
    return <p>{messages.confirmedHelp}</p>;
  }
  return (
    <>
      <strong>{result.message}</strong>
      {isUnreachable(result) ? null : <p>{messages.refusedHelp}</p>}
    </>
  );
}
