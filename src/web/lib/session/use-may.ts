import { CALLS } from '#contract/calls.ts';
import { hasRole, neededRole, type Role } from '#domain/account/role.ts';
import type { CallName } from '../api/call.ts';
import { useSession } from './session-store.ts';

/**
 * Returns whether the role of the member allows a call: where it does not, its button is not drawn. The server refuses
 * the call all the same. Where an older server names no role, all are allowed.
 */
export function useMay(name: CallName): boolean {
  const role = useSession((state) => state.current_user?.member?.role);
  const [method, , needs]: readonly ['GET' | 'POST' | 'PUT', string, Role?] = CALLS[name];
  return role === undefined || hasRole(role, neededRole(method, needs));
}
