import { z } from 'zod';
import { call } from './call.ts';
import { id, idInPath } from './wire.ts';

export const getAccount = call({
  method: 'GET',
  path: '/account/:id',
  summary: '自分のアカウント',
  params: z.object({ id: idInPath }),
  response: z.object({
    id,
    email: z.string(),
    name: z.string(),
    company: z.string(),
    email_before_confirmation: z.string().nullable(),
  }),
});
