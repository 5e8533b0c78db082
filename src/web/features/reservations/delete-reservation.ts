import type { CallAnswer } from '#contract/call.ts';
import type { cancelReservation } from '#contract/reservations.ts';
import { type ApiResult, callApi } from '#web/lib/api-client.ts';

export function deleteReservation(id: number): Promise<ApiResult<CallAnswer<typeof cancelReservation>>> {
  const body = { update_info: { active: 0 } } as const;
  return callApi<typeof cancelReservation>('PUT', '/reservation/:id', { params: { id: String(id) }, body });
}
