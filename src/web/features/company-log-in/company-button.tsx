import { useEffect, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { CardForm } from '#web/components/field/card-form.tsx';
import { type AnswerOf, type ApiFailure, call } from '#web/lib/api/call.ts';
import { toast } from '#web/lib/screen/toast.ts';
import styles from './company-button.module.css';
import { beginWay, keyOfLink } from './way.ts';
import { COMPANY_LOG_IN_MESSAGES as messages } from './words.ts';

interface Props {
  /** The log-in's address. */
  readonly login: { readonly search: string };
  /** Leaves for the provider, or the account's own host. */
  readonly onLeave: (url: string) => void;
}

/** Leads to the provider of the account that the host or the link names. Shows nothing where there is none. */
export function CompanyButton({ login, onLeave }: Props) {
  const [shown, setShown] = useState<AnswerOf<'checkOidc'> | null>(null);
  const [busy, setBusy] = useState(false);
  const key = keyOfLink(login);

  useEffect(() => {
    const gone = new AbortController();
    // Without an answer the form with the password stays. Only an abort throws.
    call('checkOidc', { body: { ...(key !== undefined && { key }) } }, { token: null, signal: gone.signal }).then(
      (answer) => setShown(answer.ok ? answer.data : null),
      () => undefined,
    );
    // A page that comes back from the browser's cache waits no longer.
    const comeBack = () => setBusy(false);
    window.addEventListener('pageshow', comeBack);
    return () => {
      gone.abort();
      window.removeEventListener('pageshow', comeBack);
    };
  }, [key]);

  async function leave(): Promise<void> {
    const way = beginWay(login, key);
    if (way === null) return toast('warning', messages.noStorage);
    setBusy(true);
    const { browser } = way;
    const answer = await call('startOidc', { body: { browser, ...(key !== undefined && { key }) } }, { token: null });
    const url = answer.ok ? answer.data.url : otherHostOf(answer);
    // Keeps the button busy until the browser has left.
    if (url !== null) return onLeave(url);
    setBusy(false);
    if (!answer.ok) toast('warning', answer.message);
  }

  if (!shown?.provider) return null;
  return (
    <CardForm
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) void leave();
      }}
    >
      <Button type="submit" busy={busy} className={styles.named}>
        {messages.button(shown.provider, shown.company)}
      </Button>
    </CardForm>
  );
}

/** Returns the log-in of the account's own host; null: another refusal. */
function otherHostOf({ code, details = [] }: ApiFailure): string | null {
  const url = URL.parse(code === 'other_host' ? (details.find(({ path }) => path === 'url')?.message ?? '') : '');
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}
