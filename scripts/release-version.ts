/** Returns a changelog's section under a heading; null: it has no such heading, or the section is empty. */
function sectionOf(changelog: string, heading: RegExp): string | null {
  const section = changelog.split(/^## /m).find((text) => heading.test(text));
  return section === undefined || section.slice(section.indexOf('\n')).trim() === '' ? null : section;
}

const UNRELEASED = /^Unreleased\n/;
const released = (version: string) => new RegExp(`^${RegExp.escape(version)} - \\d{4}-\\d\\d-\\d\\d\n`);

/**
 * Returns the version of unreleased changes: the next minor one, or that of package.json if it was never released.
 * @param version in package.json
 * @param commits of the branch, so that a later pre-release has a higher version
 * @returns null: the changelog has no unreleased changes
 */
export function prereleaseOf(changelog: string, version: string, commits: number): string | null {
  if (sectionOf(changelog, UNRELEASED) === null) return null;
  const [major, minor] = version.split('.').map(Number);
  const next = sectionOf(changelog, released(version)) === null ? version : `${major}.${(minor ?? 0) + 1}.0`;
  return `${next}-dev.${commits}`;
}

/** Returns the notes of a version; null: the changelog does not list it as released. */
export function notesOf(changelog: string, version: string): string | null {
  if (!version.includes('-')) {
    const section = sectionOf(changelog, released(version));
    return section === null ? null : `# Kaitaku ${section}`;
  }
  const section = sectionOf(changelog, UNRELEASED);
  return section === null ? null : `# Kaitaku ${section.replace(UNRELEASED, `${version}\n`)}`;
}
