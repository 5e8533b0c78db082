import { z } from 'zod';

/** Returns the schema of a URL. A fault does not repeat the value, which may hold a password. */
export const url = (name: string, protocols: string[], example: string) =>
  z
    .string()
    .refine(
      (text) => URL.canParse(text) && protocols.includes(new URL(text).protocol) && new URL(text).hostname !== '',
      {
        error: `${name} は ${example} の形にしてください。`,
      },
    )
    .transform((text) => new URL(text));
