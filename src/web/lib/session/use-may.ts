import { CALLS } from '#contract/calls.ts';
import { hasRole, neededRole, type Role } from '#domain/account/role.ts';
import type { CallName } from '../api/call.ts';
import { useSession } from './session-store.ts';

/**
 * Whether the member's role permits a call; if not, its button is not drawn. The server refuses the call anyway. If an
 * older server names no role, all calls are permitted.
 */
export function useMay(name: CallName): boolean {
  const role = useSession((state) => state.current_user?.member?.role);
  const [method, , needs]: readonly ['GET' | 'POST' | 'PUT', string, Role?] = CALLS[name];
  return role === undefined || hasRole(role, neededRole(method, needs));
}
