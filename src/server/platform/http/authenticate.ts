import type { FastifyRequest } from 'fastify';
import type { MemberKey } from '../database/account-db.ts';

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
  return headers?.length === 1 ? readBearerToken(headers[0] ?? '') : null;
}

/** Returns the token of an Authorization header's value; null: malformed. */
export const readBearerToken = (header: string): string | null => /^bearer ([\w-]{43})$/i.exec(header)?.[1] ?? null;
