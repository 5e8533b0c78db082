/** Returns `make` with its results cached for each `mail` object of a run, which the claims of a batch share. */
export function perRun<Mail extends object, Made>(make: (mail: Mail) => Made): (mail: Mail) => Made {
  const cache = new WeakMap<Mail, Made>();
  return (mail) => {
    const known = cache.get(mail);
    if (known !== undefined) return known;
    const made = make(mail);
    cache.set(mail, made);
    return made;
  };
}
