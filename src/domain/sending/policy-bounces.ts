/** Bounces by policy above which a run of at least so many targets stops; and the share of smaller ones. */
const POLICY_BOUNCES_MAX = 2;
const POLICY_TARGETS_MIN = 20;
const POLICY_SHARE_MAX = 0.05;

/** Whether so many bounces by policy show that the other mails of a run would be refused as well. */
export const isStoppedByPolicy = (bounces: number, targets: number): boolean =>
  (bounces > POLICY_BOUNCES_MAX && targets >= POLICY_TARGETS_MIN) || bounces > targets * POLICY_SHARE_MAX;
