import { useEffect, useRef } from 'react';
import styles from './mail-preview.module.css';

interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML: (html: string) => string }): { createHTML(html: string): unknown };
}

/** The Trusted Types policy of the frame, in which nothing runs and nothing loads. */
const { trustedTypes } = window as { readonly trustedTypes?: TrustedTypes };
const policy = trustedTypes?.createPolicy('mail-preview', { createHTML: (html) => html });

interface Props {
  readonly title: string;
  readonly html: string;
}

/**
 * Shows foreign HTML in a frame without any rights.
 * The sandbox allows no scripts, no forms and no links out, and has an origin of its own.
 */
export function HtmlFrame({ title, html }: Props) {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    // React's srcDoc would convert the trusted HTML to plain text.
    if (frame.current !== null) frame.current.srcdoc = (policy?.createHTML(html) ?? html) as string;
  }, [html]);
  return <iframe ref={frame} className={styles.frame} title={title} sandbox="" />;
}
