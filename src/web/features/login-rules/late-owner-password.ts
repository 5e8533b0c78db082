import { lazy } from 'react';
import { loadPart } from '#web/lib/screen/load-part.ts';

/** Loads only once the server asks for the password. */
export const LateOwnerPassword = lazy(async () => {
  const part = await loadPart(() => import('#web/components/owner-password/owner-password.tsx'));
  return { default: part.OwnerPassword };
});
