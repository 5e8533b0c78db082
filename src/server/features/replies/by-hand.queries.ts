import { sql } from 'kysely';

/** Whether only members have recorded that the mail `d` was answered: no reply to it was received. */
export const isRepliedByHand = sql<boolean>`(d.replied AND coalesce((
  SELECT bool_and(reply.kind = 'manual') FROM reply
  WHERE reply.account_id = d.account_id AND reply.delivery_id = d.id AND reply.kind <> 'auto_reply'), false))`;
