import type { Role } from '#domain/account/role.ts';

/** Audit events of acts on members that both admins and the operator do. */
export interface MemberEvents {
  readonly invitation_cancelled: { readonly invitation_id: number };
  readonly role_changed: { readonly member_id: number; readonly from: Role; readonly to: Role };
  /** Groups null: all. */
  readonly member_groups_changed: {
    readonly member_id: number;
    readonly from: readonly number[] | null;
    readonly to: readonly number[] | null;
  };
  /** `handed_over_to`: who has the `reservations` that had not begun; null: there were none. */
  readonly member_stopped: {
    readonly member_id: number;
    readonly handed_over_to: number | null;
    readonly reservations: number;
  };
  readonly member_brought_back: { readonly member_id: number };
  /** The second step of a member was removed. */
  readonly member_two_factor_removed: { readonly member_id: number };
}
