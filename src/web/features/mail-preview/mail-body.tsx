import { Tabs } from '@mantine/core';
import { HtmlFrame } from './html-frame.tsx';
import styles from './mail-preview.module.css';
import { MAIL_PREVIEW_MESSAGES } from './words.ts';

interface Props {
  readonly text: string;
  readonly html: string;
}

/** Shows both forms of a mail, one at a time. */
export function MailBody({ text, html }: Props) {
  const messages = MAIL_PREVIEW_MESSAGES;
  return (
    <Tabs defaultValue="html" classNames={{ tab: styles.tab }}>
      <Tabs.List aria-label={messages.bodies}>
        <Tabs.Tab value="html">{messages.html}</Tabs.Tab>
        <Tabs.Tab value="text">{messages.text}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="html">
        <HtmlFrame title={messages.htmlFrame} html={html} />
        <p className={styles.note}>
          {messages.images}
          <span className={styles.white}>{messages.white}</span>
        </p>
      </Tabs.Panel>
      <Tabs.Panel value="text">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable by keyboard */}
        <pre className={styles.text} tabIndex={0}>
          {text}
        </pre>
      </Tabs.Panel>
    </Tabs>
  );
}
