type Given<Info> = { [Name in keyof Info]?: Exclude<Info[Name], undefined> };

/** Omits the fields that a client did not send. */
export const withoutUndefined = <Info extends object>(info: Info): Given<Info> & Info =>
  Object.fromEntries(Object.entries(info).filter(([, value]) => value !== undefined)) as Given<Info> & Info;
