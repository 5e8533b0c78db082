/** Returns whether what a client says by XOAUTH2, in base64, holds a token that is valid for its user. */
export function holdsToken(said: string, isValid: (user: string, accessToken: string) => boolean): boolean {
  const text = Buffer.from(said, 'base64').toString();
  const [user = '', bearer = ''] = text.split('\x01');
  const isSaid = user.startsWith('user=') && bearer.startsWith('auth=Bearer ') && text.endsWith('\x01\x01');
  return isSaid && isValid(user.slice('user='.length), bearer.slice('auth=Bearer '.length));
}

/** What a server says of a refused token, before the client's empty line and the refusal: as Google, Microsoft. */
export const TOKEN_REFUSED = Buffer.from('{"status":"400"}').toString('base64');
