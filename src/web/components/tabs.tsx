import { Activity, type KeyboardEvent, type ReactNode, useId } from 'react';
import styles from './tabs.module.css';

interface Tab<Name extends string> {
  readonly name: Name;
  readonly label: ReactNode;
  readonly panel: ReactNode;
}

interface Props<Name extends string> {
  /** The accessible name of the tabs. */
  readonly label: string;
  readonly tabs: readonly Tab<Name>[];
  readonly shown: Name;
  readonly onShow: (name: Name) => void;
  /** Arrow keys move only the focus; Enter or Space shows the tab. */
  readonly isManual?: boolean;
  /** Panels keep their state while others are shown. */
  readonly keepsPanels?: boolean;
  /** Whether there is room for all panels, without tabs. If given, hidden panels keep running, such as an editor. */
  readonly showsAll?: boolean;
  /** Shown at the end of the tabs' line. */
  readonly end?: ReactNode;
  readonly classes?: { readonly [part in 'root' | 'list' | 'tab' | 'panel']?: string | undefined };
}

/** Shows one of several panels. Its tabs are one Tab stop; arrow keys, Home and End move between them. */
export function Tabs<Name extends string>({ label, tabs, shown, onShow, end, classes = {}, ...rest }: Props<Name>) {
  const { isManual = false, keepsPanels = false, showsAll } = rest;
  const id = useId();

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="tab"]')];
    const at = all.indexOf(event.target as HTMLElement);
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[event.key];
    const tab = next === undefined ? undefined : all.at(next % all.length);
    if (tab === undefined) return;
    event.preventDefault();
    tab.focus();
    if (!isManual) tab.click();
  }

  return (
    <div className={classes.root}>
      {showsAll === true ? null : (
        <div className={`${styles.line} ${classes.list ?? ''}`}>
          <div role="tablist" aria-label={label} className={styles.list} onKeyDown={onKeyDown}>
            {tabs.map((tab) => (
              <button
                key={tab.name}
                type="button"
                role="tab"
                id={`${id}-tab-${tab.name}`}
                aria-controls={`${id}-${tab.name}`}
                aria-selected={tab.name === shown}
                tabIndex={tab.name === shown ? 0 : -1}
                className={`${styles.tab} ${classes.tab ?? ''}`}
                onClick={() => onShow(tab.name)}
              >
                {tab.label}
              </button>
            ))}
          </div>
          {end}
        </div>
      )}
      {tabs.map(({ name, panel }) => (
        <div
          key={name}
          {...(showsAll === true ? {} : { role: 'tabpanel', 'aria-labelledby': `${id}-tab-${name}` })}
          id={`${id}-${name}`}
          className={classes.panel}
          hidden={showsAll !== true && name !== shown}
        >
          {keepsPanels ? <Activity mode={name === shown ? 'visible' : 'hidden'}>{panel}</Activity> : null}
          {!keepsPanels && (showsAll !== undefined || name === shown) ? panel : null}
        </div>
      ))}
    </div>
  );
}
