import styles from './web-link.module.css';

/** Only http and https become links, because imported lists may hold anything. */
const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);

/** Shows a URL as a link if it is http or https. */
export function WebLink({ url }: { readonly url: string | null }) {
  if (url === null || url === '') return null;
  if (!isWebAddress(url)) return url;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" title={url} className={`finger ${styles.link}`}>
      {url.replace(/^https?:\/\//i, '').replace(/\/$/, '')}
    </a>
  );
}
