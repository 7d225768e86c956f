// What tokens and apps may do, in words.

const levelWords: Readonly<Record<string, string>> = { read: 'read', write: 'read and write', admin: 'administer' };

/** Permissions in words, such as "issues: read and write", by name. */
export const permissionTexts = (permissions: Readonly<Record<string, string | undefined>>): string[] =>
  Object.entries(permissions)
    .flatMap(([name, level]) => (level === undefined ? [] : [`${name.replaceAll('_', ' ')}: ${levelWords[level] ?? level}`]))
    .sort();
