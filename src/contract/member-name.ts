import { z } from 'zod';

/** The name of the member who acted. */
export const memberName = z
  .string()
  .nullable()
  .meta({ description: '操作した人の氏名です。人の操作でなければ null です。', examples: ['田中 直樹'] });
