/**
 * Returns `make` with its results cached for each object of a run, such as its mail or its legal profile.
 * The claims of a batch share these objects.
 */
export function perRun<Source extends object, Made>(make: (source: Source) => Made): (source: Source) => Made {
  const cache = new WeakMap<Source, Made>();
  return (source) => {
    const known = cache.get(source);
    if (known !== undefined) return known;
    const made = make(source);
    cache.set(source, made);
    return made;
  };
}
