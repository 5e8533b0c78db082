import { z } from 'zod';
import { MAX_EMAIL_LENGTH } from '#domain/limits.ts';

/** The shapes that many calls share. A flag is 0 or 1, a date-time is YYYY/MM/DD HH:mm[:ss] in Asia/Tokyo. */

const MAX_ID = Number.MAX_SAFE_INTEGER;

/** An id in a JSON body. */
export const id = z.int().min(1).max(MAX_ID);

/** A number written in a path or query: ASCII digits only, so that `1e3`, `１` and ` 1` are refused. */
const digits = (schema: z.ZodType<number, number>) =>
  z
    .string()
    .regex(/^-?\d{1,16}$/)
    .transform(Number)
    .pipe(schema);

export const idInPath = digits(id);

/** An integer of a query: what a client gives may be a number (it is written as digits on the way). */
export const intInQuery = (min: number, max: number) =>
  z.union([digits(z.int().min(min).max(max)), z.int().min(min).max(max)]);

export const flag = z.union([z.literal(0), z.literal(1)]);

/** Text that PostgreSQL can hold: no NUL, no lone surrogate. */
export const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => !value.includes('\u0000') && value.isWellFormed(), '使えない文字が含まれています');

export const emailText = text(MAX_EMAIL_LENGTH);

/** A parameter that the specification sends as a JSON string and that may also come as the value itself. */
export const jsonOr = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value, context) => {
    if (typeof value !== 'string') return value;
    try {
      return JSON.parse(value);
    } catch {
      context.issues.push({ code: 'custom', message: 'JSONとして読めません', input: value });
      return value;
    }
  }, schema);

/** A query object that may come bracketed (`where_info[id]=1`) or as a JSON string (`where_info={"id":1}`). */
export const whereInfo = <Shape extends z.ZodRawShape>(shape: Shape) => jsonOr(z.strictObject(shape)).optional();

/** The columns a list is asked for; unknown ones are refused, none named means all. */
export const columns = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  jsonOr(z.array(z.enum(names)).min(1).max(names.length)).optional();
