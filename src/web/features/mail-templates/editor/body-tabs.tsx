import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import dialog from '#web/components/dialog/dialog-body.module.css';
import { DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { Tabs } from '#web/components/tabs.tsx';
import { type BodyProps, faultIn, HtmlBody, RichBody, TextBody } from './body-editors.tsx';
import type { Conversion } from './convert.ts';
import styles from './mail-template.module.css';
import { CONVERSION_MESSAGES as messages, TEMPLATE_MESSAGES } from './words.ts';

const MODES = ['rich', 'html', 'text'] as const;
const BODIES = { rich: RichBody, html: HtmlBody, text: TextBody };

/** Shows the body of a template in one of three editors. */
export function BodyTabs(props: BodyProps) {
  const { body, form, faults } = props;
  const panelOf = (mode: (typeof MODES)[number]) => {
    const Body = BODIES[mode];
    return body.isSeen(mode) ? (
      <PartBoundary waiting={<div className={styles.box} aria-busy />}>
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
        // Manual, because a change of the editor may open a dialog.
        isManual
        keepsPanels
        classes={{ root: styles.tabs, list: styles.tabList, panel: styles.body }}
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

interface Props {
  readonly conversion: Conversion;
  readonly onStay: () => void;
  readonly onGo: () => void;
}

/** Asks before a change of the editor loses content, and lists the losses. */
function ConversionDialog({ conversion: { to, losses }, onStay, onGo }: Props) {
  return (
    <Dialog title={messages.title[to]} onClose={onStay}>
      <p className={dialog.question}>{messages.question[to]}</p>
      {to === 'text' ? null : (
        <ul className={styles.losses}>
          {losses.map((loss) => (
            <li key={loss}>{messages.losses[loss]}</li>
          ))}
        </ul>
      )}
      <p className={dialog.consequence}>{messages.consequence}</p>
      <DialogFoot
        stay={
          <Button data-autofocus onClick={onStay}>
            {messages.stay[to]}
          </Button>
        }
        act={
          <Button variant="primary" onClick={onGo}>
            {messages.go[to]}
          </Button>
        }
      />
    </Dialog>
  );
}
