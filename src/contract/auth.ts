import { z } from 'zod';
import { MAX_PASSWORD_LENGTH } from '#domain/limits.ts';
import { call } from './call.ts';
import { emailText, id, text } from './wire.ts';

export const login = call({
  method: 'POST',
  path: '/auth/login',
  auth: 'none',
  summary: 'ログインし、以後の呼び出しに使うトークンを受け取る',
  body: z.strictObject({ email: emailText, password: text(MAX_PASSWORD_LENGTH) }),
  response: z.object({ token: z.string(), account_id: id }),
});

export const logout = call({
  method: 'POST',
  path: '/auth/logout',
  summary: 'トークンを無効にする',
  response: z.object({ status: z.literal('logged-out') }),
});
