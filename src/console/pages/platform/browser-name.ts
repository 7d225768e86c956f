/** The order matters: many browsers name others too. */
const browsers: readonly (readonly [mark: string, name: string])[] = [
  ['Firefox/', 'Firefox'],
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Chrome/', 'Chrome'],
  ['CriOS/', 'Chrome'],
  ['FxiOS/', 'Firefox'],
  ['Safari/', 'Safari'],
];
const systems: readonly (readonly [mark: string, name: string])[] = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
];

const longest = 60;

/** The name of a browser for people, such as "Firefox on Linux", from what it calls itself. */
export function browserName(agent: string): string {
  const nameIn = (names: typeof browsers): string | undefined => names.find(([mark]) => agent.includes(mark))?.[1];
  const [browser, system] = [nameIn(browsers), nameIn(systems)];
  if (browser === undefined) return agent === '' ? 'A browser' : agent.slice(0, longest);
  return system === undefined ? browser : `${browser} on ${system}`;
}
