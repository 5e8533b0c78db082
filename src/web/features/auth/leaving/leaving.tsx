import { useEffect, useEffectEvent } from 'react';
import type { ApiFailure } from '#web/lib/api/call.ts';
import { asSentence } from '#web/lib/phrases.ts';
import { toast } from '#web/lib/screen/toast.ts';
import styles from './leaving.module.css';
import { LEAVING_MESSAGES as messages } from './words.ts';

interface Props {
  /** The server's refusal, which names the account's own host. */
  readonly refusal: ApiFailure;
  /** Leads the browser to an origin. */
  readonly onLeave: (origin: string) => void;
  /** The refusal names no host. */
  readonly onStay: () => void;
}

/** Leads to the host on which the account's members log in, and shows where, until the browser has left. */
export default function Leaving({ refusal, onLeave, onStay }: Props) {
  const home = homeOf(refusal);
  const go = useEffectEvent(() => {
    if (home !== null) onLeave(home);
    else {
      toast('warning', refusal.message);
      onStay();
    }
  });
  useEffect(() => go(), []);
  if (home === null) return null;
  return (
    <div role="status" className="tint">
      <progress className={styles.leaving} aria-label={messages.now} />
      <p>{asSentence(refusal.message)}</p>
      <p>{messages.help}</p>
      <a href={home}>{messages.link}</a>
    </div>
  );
}

/** Returns the origin on which the account's members log in; null: it is no web address. */
function homeOf({ details = [] }: ApiFailure): string | null {
  const url = URL.parse(details.find(({ path }) => path === 'url')?.message ?? '');
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin : null;
}
