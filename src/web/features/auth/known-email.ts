let email = '';

/** Keeps the address with which the next log-in of this page begins; '' forgets it. */
export function keepEmail(next: string): void {
  email = next;
}

export const knownEmail = (): string => email;
