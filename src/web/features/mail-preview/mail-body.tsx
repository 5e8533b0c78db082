import '@mantine/core/styles/Tabs.css';
import { Tabs } from '@mantine/core';
import { MAIL_PREVIEW_WORDS } from '#web/lib/mail-preview-words.ts';
import { HtmlFrame } from './html-frame.tsx';
import styles from './mail-preview.module.css';

interface Props {
  readonly text: string;
  readonly html: string;
}

/** Both forms of the mail; the reader's mail program shows one of them. */
export function MailBody({ text, html }: Props) {
  const words = MAIL_PREVIEW_WORDS;
  return (
    <Tabs defaultValue="html" classNames={{ tab: styles.tab }}>
      <Tabs.List aria-label={words.bodies}>
        <Tabs.Tab value="html">{words.html}</Tabs.Tab>
        <Tabs.Tab value="text">{words.text}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="html">
        <HtmlFrame title={words.htmlFrame} html={html} />
        <p className={styles.note}>{words.images}</p>
      </Tabs.Panel>
      <Tabs.Panel value="text">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <pre className={styles.text} tabIndex={0}>
          {text}
        </pre>
      </Tabs.Panel>
    </Tabs>
  );
}
