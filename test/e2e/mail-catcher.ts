export interface CaughtMail {
  readonly id: string;
  readonly subject: string;
  readonly date: string;
  readonly from: readonly { address: string; name: string }[];
  readonly to: readonly { address: string }[];
  readonly envelope: { readonly from: { address: string }; readonly to: readonly { address: string }[] };
}

export interface MailCatcher {
  /** What the mail catcher holds, as its REST interface tells. */
  mails(): Promise<CaughtMail[]>;
  /** A mail as it came over the wire. */
  source(id: string): Promise<string>;
}

export const mailCatcherAt = (url: string): MailCatcher => ({
  mails: async () => (await (await fetch(`${url}/email`)).json()) as CaughtMail[],
  source: async (id) => (await fetch(`${url}/email/${id}/source`)).text(),
});
