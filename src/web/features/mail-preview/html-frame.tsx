import { useEffect, useRef } from 'react';
import styles from './mail-preview.module.css';

interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML: (html: string) => string }): { createHTML(html: string): unknown };
}

/** The page takes HTML only by name. What is named here goes into a frame where nothing runs and nothing is reached. */
const { trustedTypes } = window as { readonly trustedTypes?: TrustedTypes };
const policy = trustedTypes?.createPolicy('mail-preview', { createHTML: (html) => html });

interface Props {
  readonly title: string;
  readonly html: string;
}

/** HTML that others wrote, in a sandbox without any right: no scripts, no forms, no links out, an origin of its own. */
export function HtmlFrame({ title, html }: Props) {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    // Not as React's srcDoc, which would make a plain text of it.
    if (frame.current !== null) frame.current.srcdoc = (policy?.createHTML(html) ?? html) as string;
  }, [html]);
  return <iframe ref={frame} className={styles.frame} title={title} sandbox="" />;
}
