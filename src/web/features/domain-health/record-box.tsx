import IconCopy from '@tabler/icons-react/dist/esm/icons/IconCopy.mjs';
import type { DnsRecord } from '#domain/dns/health.ts';
import { Button } from '#web/components/button.tsx';
import { toast } from '#web/lib/toast.ts';
import styles from './domain-health.module.css';
import { DOMAIN_MESSAGES as messages } from './words.ts';

/** A browser offers the clipboard on https and on this machine alone. */
async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast('success', messages.copied);
  } catch {
    toast('warning', messages.notCopied);
  }
}

/** A record to set in the DNS, whose parts can be copied. */
export function RecordBox({ record: { type, name, value } }: { readonly record: DnsRecord }) {
  return (
    <div className={styles.record}>
      <p>{messages.record}</p>
      <dl>
        <dt>{messages.recordType}</dt>
        <dd>{type}</dd>
        <dt>{messages.recordName}</dt>
        <dd>
          <code>{name}</code>
          <CopyButton label={messages.copyName} text={name} />
        </dd>
        <dt>{messages.recordValue}</dt>
        <dd>
          <code>{value}</code>
          <CopyButton label={messages.copyValue} text={value} />
        </dd>
      </dl>
      {value.startsWith('"') ? <p className={styles.split}>{messages.recordSplitHelp}</p> : null}
    </div>
  );
}

function CopyButton({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <Button variant="quiet" title={label} aria-label={label} onClick={() => void copy(text)}>
      <IconCopy size={16} aria-hidden />
    </Button>
  );
}
