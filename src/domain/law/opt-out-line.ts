/** The line of our letters up to version 0.1, which asks for a reply that nobody reads. */
const REPLY_LINE = '今後のご案内が不要な場合は、お手数ですが本メールに「配信停止」とご返信ください。';

/** Returns whether a template still asks for opt-outs by reply. */
export const asksForReply = ({ text_body, html_body }: { readonly text_body: string; readonly html_body: string }) =>
  text_body.includes(REPLY_LINE) || html_body.includes(REPLY_LINE);
