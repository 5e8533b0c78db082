/** A company's statement on sales mails where it publishes its address. `refused`: it declines them. */
export const PUBLICATION_NOTICES = ['none', 'refused'] as const;
export type PublicationNotice = (typeof PUBLICATION_NOTICES)[number];
