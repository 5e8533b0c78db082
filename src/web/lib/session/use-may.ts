import type { ReactNode } from 'react';
import { CALLS } from '#contract/calls.ts';
import { type FieldNeeds, hasRole, neededRole, type Role } from '#domain/account/role.ts';
import type { CallName } from '../api/call.ts';
import { isDemo, type Me, useSession } from './session-store.ts';

/** What a call is made for, where that decides who may make it. */
interface Act {
  /** A field of its body that needs a role of its own, such as `update_info.company`. */
  readonly field?: string;
  /** The sender group in which it acts; undefined: none, or not known. */
  readonly groupId?: number | undefined;
}

/**
 * Whether the member's role and groups permit a call; if not, its button is not drawn. The server refuses the call
 * anyway, and to the demo any mailbox. If an older server names no role, all calls are permitted.
 */
export const useMay = (name: CallName, act?: Act): boolean =>
  useSession((state) => !(name === 'addMailbox' && isDemo(state)) && may(state.current_user?.member, name, act));

function may(member: Me | undefined, name: CallName, { field, groupId }: Act = {}): boolean {
  if (member === undefined) return true;
  const [method, , needs, fieldNeeds]: readonly ['GET' | 'POST' | 'PUT', string, Role?, FieldNeeds?] = CALLS[name];
  const { role, sender_group_ids: groups, may_export } = member;
  const needed = (field !== undefined && fieldNeeds?.[field]) || neededRole(method, needs);
  const isHere = !groups || groupId === undefined || groups.includes(groupId);
  return hasRole(role, needed) && isHere && (name !== 'startExport' || may_export !== 0);
}

/** Returns whether the member may act in a sender group, for lists whose rows have groups. */
export function useIsMine(): (groupId: number) => boolean {
  const groups = useSession((state) => state.current_user?.member?.sender_group_ids);
  return (groupId) => !groups || groups.includes(groupId);
}

interface Props extends Act {
  readonly call: CallName;
  readonly children: ReactNode;
}

/** Draws what leads to a call, if the member may make it (`useMay`). */
export const May = ({ call, children, ...act }: Props): ReactNode => (useMay(call, act) ? children : null);
