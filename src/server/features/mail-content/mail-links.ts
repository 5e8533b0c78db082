/** Stops at the next tag, so that a body of unclosed tags is read once. */
const LINK = /<a\b[^<>]*?\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/gi;
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&#34;': '"',
  '&#39;': "'",
  '&lt;': '<',
  '&gt;': '>',
};

/** Finds the links of an HTML body that cannot be opened from a mail, by their form alone. */
export const badLinks = (html: string): string[] => {
  const links = [...html.matchAll(LINK)].map(([, double, single, bare]) => double ?? single ?? bare ?? '');
  const written = links.map((link) => link.replace(/&(?:amp|#34|#39|lt|gt);/g, (entity) => ENTITIES[entity] ?? ''));
  return [...new Set(written.map((link) => link.trim()).filter((link) => !isOpenable(link)))];
};

const MAIL_OR_CALL = /^(?:mailto:[^\s@]+@[^\s@]+|tel:\+?[\d-]+)$/i;
const WEB_PAGE = /^https?:\/\/\S+$/i;
const HOST_WITH_DOT = /[^.]\.[^.]/;

/** Accepts http and https with a host that has a dot, mailto with an address, and tel with digits. */
const isOpenable = (link: string): boolean =>
  MAIL_OR_CALL.test(link) || (WEB_PAGE.test(link) && HOST_WITH_DOT.test(URL.parse(link)?.hostname ?? ''));
