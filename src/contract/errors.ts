import { z } from 'zod';

/** Every error answer. `message` is Japanese and made for the user; `code` is stable and made for programs. */
export const errorAnswer = z.object({
  message: z.string(),
  code: z.string(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
export type ErrorAnswer = z.infer<typeof errorAnswer>;
