import { PartBoundary } from '#web/components/part-boundary.tsx';
import { Tabs } from '#web/components/tabs.tsx';
import { type BodyProps, faultIn, HtmlBody, RichBody, TextBody } from './body-editors.tsx';
import { ConversionDialog } from './conversion-dialog.tsx';
import styles from './mail-template.module.css';
import { TEMPLATE_MESSAGES } from './words.ts';

const MODES = ['rich', 'html', 'text'] as const;
const BODIES = { rich: RichBody, html: HtmlBody, text: TextBody };

/** The body of a template in one of three editors. */
export function BodyTabs(props: BodyProps) {
  const { body, form, faults } = props;
  const panelOf = (mode: (typeof MODES)[number]) => {
    const Body = BODIES[mode];
    return body.isSeen(mode) ? (
      <PartBoundary waiting={<div className={styles.codeBox} aria-busy />}>
        <Body {...props} />
      </PartBoundary>
    ) : null;
  };
  return (
    <>
      <Tabs
        label={TEMPLATE_MESSAGES.bodies}
        shown={body.mode}
        onShow={body.show}
        // A change of the editor may ask a question.
        isManual
        keepsPanels
        classes={{ root: styles.bodies, panel: styles.body, tab: styles.tab }}
        tabs={MODES.map((mode) => ({
          name: mode,
          label:
            TEMPLATE_MESSAGES.modes[mode] + (faultIn(mode, form, faults) === undefined ? '' : TEMPLATE_MESSAGES.faulty),
          panel: panelOf(mode),
        }))}
      />
      {body.asked === null ? null : (
        <ConversionDialog
          conversion={body.asked}
          onStay={body.cancel}
          onGo={() => body.asked !== null && body.convert(body.asked)}
        />
      )}
    </>
  );
}
