/**
 * How long a claim, and a share of a profile's connections, last without a renewal, by the database's clock. Short: the
 * mails of a killed worker wait for it. A claim that is lost too early costs nothing: its mark is refused.
 */
export const CLAIM_LEASE_SECONDS = 4;
/** The same for a mail whose mark is committed. Longer: once this lease is over, the mail is unknown. */
export const SENDING_LEASE_SECONDS = 10;
