export interface CaughtMail {
  readonly id: string;
  readonly subject: string;
  readonly date: string;
  readonly from: readonly { address: string; name: string }[];
  readonly to: readonly { address: string }[];
  readonly envelope: { readonly from: { address: string }; readonly to: readonly { address: string }[] };
}

export interface MailCatcher {
  /** Returns the mails of the mail catcher through its REST interface. */
  mails(): Promise<CaughtMail[]>;
  /** Returns the source of a mail as it was received. */
  source(id: string): Promise<string>;
}

export const mailCatcherAt = (url: string): MailCatcher => ({
  mails: async () => (await (await fetch(`${url}/email`)).json()) as CaughtMail[],
  source: async (id) => (await fetch(`${url}/email/${id}/source`)).text(),
});
