import { type AnswerOf, type ApiResult, call } from '#web/lib/call.ts';

export function deleteReservation(id: number): Promise<ApiResult<AnswerOf<'cancelReservation'>>> {
  const body = { update_info: { active: 0 } } as const;
  return call('cancelReservation', { params: { id: String(id) }, body });
}
