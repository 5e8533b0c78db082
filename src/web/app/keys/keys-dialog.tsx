import { Dialog } from '#web/components/dialog/dialog.tsx';
import { guideUrl } from '#web/components/inline/guide-link.tsx';
import { CTRL, keyText } from '#web/lib/screen/keys.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './keys-dialog.module.css';
import { KEY_MESSAGES } from './words.ts';

const { groups, everywhere, grid, calendar, confirm } = KEY_MESSAGES;

/** The keyboard shortcuts, grouped by the screens on which they work. */
const GROUPS = [
  {
    title: groups.everywhere,
    keys: [
      [keyText('palette').shown, everywhere.palette],
      [keyText('save').shown, everywhere.save],
      [keyText('edit').shown, everywhere.edit],
      [keyText('help').shown, everywhere.list],
      ['Tab', everywhere.tab],
    ],
  },
  {
    title: groups.dialog,
    keys: [
      [keyText('confirm').shown, confirm],
      ['Esc', KEY_MESSAGES.close],
    ],
  },
  {
    title: groups.grid,
    keys: [
      ['↑ ↓', grid.rows],
      ['← →', grid.cells],
      ['Space', grid.toggle],
      ['Enter', grid.open],
      ['Home / End', grid.ends],
      [`${CTRL}+Home / ${CTRL}+End`, grid.corners],
      ['PageUp / PageDown', grid.pages],
    ],
  },
  {
    title: groups.calendar,
    keys: [
      ['← → ↑ ↓', calendar.days],
      ['PageUp / PageDown', calendar.months],
      ['Home', calendar.today],
      ['Enter', calendar.open],
      ['Shift+← →', calendar.move],
    ],
  },
] as const;

/** Lists the keyboard shortcuts. */
export default function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title={KEY_MESSAGES.title} size={520} onClose={onClose}>
      <a href={guideUrl('first-day')} target="_blank" rel="noopener">
        {COMMON_MESSAGES.guide}
      </a>
      {GROUPS.map(({ title, keys }) => (
        <section key={title} className={styles.group}>
          <h2>{title}</h2>
          <dl className={styles.keys}>
            {keys.map(([key, effect]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{effect}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
