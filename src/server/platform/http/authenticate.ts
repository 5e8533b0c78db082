import type { FastifyRequest } from 'fastify';
import type { MemberKey } from '../account-db.ts';

/**
 * Returns the member of a bearer token; null for an unknown, ended or malformed token. isUse: whether the call counts
 * as use of the session (default), which restarts its idle time.
 */
export type Authenticate = (token: string, options?: { isUse: boolean }) => Promise<MemberKey | null>;

/**
 * Returns the token of the one Authorization header (RFC 6750); null: none, several or malformed. The scheme is
 * compared without case.
 */
export function bearerToken(request: FastifyRequest): string | null {
  const headers = request.raw.headersDistinct.authorization;
  if (headers?.length !== 1) return null;
  return /^bearer ([\w-]{43})$/i.exec(headers[0] ?? '')?.[1] ?? null;
}
