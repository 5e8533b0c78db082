import type { DifferentLines, PartDifference } from './content-difference.ts';
import styles from './history-dialog.module.css';
import { VERSION_MESSAGES as messages } from './words.ts';

/** Equal lines before and after a change that are shown with it. */
const AROUND = 2;

/** Shows the lines that differ, with a few of the equal ones around them. */
export function DifferenceView({ differences }: { readonly differences: readonly PartDifference[] }) {
  if (differences.length === 0) return <p className={styles.note}>{messages.same}</p>;
  return differences.map(({ part, pieces }) => (
    <div key={part} className={styles.part}>
      <h4>{messages.parts[part]}</h4>
      {pieces === undefined ? (
        <p className={styles.note}>{messages.tooLong}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable by keyboard
        <section className={styles.lines} aria-label={messages.parts[part]} tabIndex={0}>
          {pieces.map((piece, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one comparison never change
            <Piece key={place} piece={piece} isFirst={place === 0} isLast={place === pieces.length - 1} />
          ))}
        </section>
      )}
    </div>
  ));
}

interface Props {
  readonly piece: DifferentLines;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

function Piece({ piece: { kind, lines }, isFirst, isLast }: Props) {
  const text = (shown: readonly string[]) => shown.join('\n') || ' ';
  if (kind !== 'same') {
    const Changed = kind === 'added' ? 'ins' : 'del';
    return (
      <Changed>
        <span className="visually-hidden">{messages[kind]}</span>
        {text(lines)}
      </Changed>
    );
  }
  const before = isFirst ? [] : lines.slice(0, AROUND);
  const after = isLast ? [] : lines.slice(Math.max(before.length, lines.length - AROUND));
  if (before.length + after.length === lines.length) return <div>{text(lines)}</div>;
  return (
    <>
      {before.length === 0 ? null : <div>{text(before)}</div>}
      <div className={styles.gap}>…</div>
      {after.length === 0 ? null : <div>{text(after)}</div>}
    </>
  );
}
