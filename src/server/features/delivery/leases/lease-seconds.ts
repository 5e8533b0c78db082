/**
 * How long a claim, and a share of a profile's connections, lasts without renewal, by the database's clock. Short,
 * because the mails of a killed worker wait for its end. A claim lost too early costs nothing: its mark is refused.
 */
export const CLAIM_LEASE_SECONDS = 4;
/** The same for a mail whose mark is committed. Longer: when this lease ends, the mail becomes unknown. */
export const SENDING_LEASE_SECONDS = 10;
