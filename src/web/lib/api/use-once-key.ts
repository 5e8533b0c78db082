import { useRef } from 'react';

/**
 * Keeps the Idempotency-Key of a request, so that a retry after a lost answer creates nothing twice.
 *
 * @returns `keyOf`, the key of a body, where a changed body gets another; and `forget`, after which the same body is a
 * new request
 */
export function useOnceKey() {
  const last = useRef({ body: '', key: '' });
  return {
    keyOf(body: unknown): string {
      const text = JSON.stringify(body);
      if (last.current.body !== text) last.current = { body: text, key: crypto.randomUUID() };
      return last.current.key;
    },
    forget(): void {
      last.current = { body: '', key: '' };
    },
  };
}
