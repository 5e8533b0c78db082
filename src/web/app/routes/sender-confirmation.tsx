import { useState } from 'react';
import { ConfirmSender } from '#web/features/sender-addresses/confirm-sender.tsx';
import { SENDER_CONFIRMATION_MESSAGES } from '#web/features/sender-addresses/words.ts';
import { LINK_KEY, PATHS } from '#web/lib/address/paths.ts';
import { Navigate } from '#web/lib/router/link.tsx';
import { useNavigate, useParams } from '#web/lib/router/use-router.ts';
import { PRODUCT_NAME } from '#web/lib/words.ts';
import styles from './message-page.module.css';

export function Component() {
  const { [LINK_KEY]: key } = useParams();
  const [isSpent, setSpent] = useState(false);
  const navigate = useNavigate();
  if (key === undefined && !isSpent) return <Navigate to={PATHS.attackList} replace />;
  return (
    <div className={styles.page}>
      <title>{`${SENDER_CONFIRMATION_MESSAGES.title} | ${PRODUCT_NAME}`}</title>
      <h1>{SENDER_CONFIRMATION_MESSAGES.title}</h1>
      <ConfirmSender
        secret={key}
        onSpent={() => {
          setSpent(true);
          // A used secret is removed from the address bar and the history.
          void navigate(PATHS.senderConfirmation, { replace: true });
        }}
      />
    </div>
  );
}
