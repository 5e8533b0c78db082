import type { FastifyRequest } from 'fastify';
import type { MemberKey } from '../account-db.ts';

/**
 * The member a bearer token stands for, or null when the token is unknown, old or malformed.
 * isUse: whether the session counts as used by this (default), which keeps it from ending for being idle.
 */
export type Authenticate = (token: string, options?: { isUse: boolean }) => Promise<MemberKey | null>;

/**
 * RFC 6750: the token of the one Authorization header; the scheme is compared without case. Null: none or malformed.
 */
export function bearerToken(request: FastifyRequest): string | null {
  const headers = request.raw.headersDistinct.authorization;
  if (headers?.length !== 1) return null;
  return /^bearer ([\w-]{43})$/i.exec(headers[0] ?? '')?.[1] ?? null;
}
