import { COMMON_MESSAGES } from '#web/lib/words.ts';

/** Shown in place of data that is loading. */
export function Loading() {
  return (
    <p className="nothing" aria-busy="true">
      {COMMON_MESSAGES.loading}
    </p>
  );
}
