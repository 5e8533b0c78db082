/** What is shown in place of the name of an erased company. */
export const ERASED_NAME = '（消去済み）';
