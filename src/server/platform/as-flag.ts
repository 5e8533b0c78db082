/** Converts a boolean to a flag of the wire. */
export const asFlag = (value: boolean): 0 | 1 => (value ? 1 : 0);
