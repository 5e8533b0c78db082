import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import type { ReactNode } from 'react';
import { Button } from '#web/components/button.tsx';
import type { Column } from '#web/components/data-table/column.ts';
import { minuteWithWeekday } from '#web/lib/with-weekday.ts';
import type { TemplateRow } from './list-templates.ts';
import styles from './template-list.module.css';
import { TEMPLATE_LIST_MESSAGES as messages } from './words.ts';

const { columns: header } = messages;

interface Parts {
  /** Renders the name as the link to the template's editor. */
  readonly renderLink: (template: TemplateRow) => ReactNode;
  readonly onActions: (template: TemplateRow) => void;
  /** Sent mails by template; undefined: not counted yet. */
  readonly sent: ReadonlyMap<number, number> | undefined;
}

function sendersOf({ senders }: TemplateRow): string {
  const active = senders.filter((sender) => sender.active === 1);
  const [first] = active;
  return first === undefined ? messages.noSender : messages.sendersOf(first.person_in_charge, active.length - 1);
}

/** All columns fit into 975 px, the table's width at 1024 px. */
export const templateColumns = ({ renderLink, onActions, sent }: Parts): readonly Column<TemplateRow>[] => [
  { id: 'name', header: header.name, width: 200, isRowHeader: true, render: renderLink },
  { id: 'subject', header: header.subject, width: 220, render: ({ subject }) => subject },
  { id: 'senders', header: header.senders, width: 130, render: sendersOf },
  {
    id: 'updated_at',
    header: header.updated_at,
    width: 230,
    render: ({ updated_at, updated_by }) => messages.by(minuteWithWeekday(updated_at), updated_by),
  },
  {
    id: 'sent',
    header: header.sent,
    width: 120,
    kind: 'number',
    render: ({ id }) => sent && (sent.get(id) ?? 0).toLocaleString('ja-JP'),
  },
  {
    id: 'actions',
    header: header.actions,
    width: 60,
    isUnsortable: true,
    render: (template) => (
      <Button
        variant="quiet"
        className={styles.dots}
        aria-label={messages.actionsOf(template.name)}
        onClick={() => onActions(template)}
      >
        <IconDots size={16} aria-hidden />
      </Button>
    ),
  },
];
