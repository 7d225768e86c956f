// Whether an advisory affects a version.
import { compare as comparePython, valid as validPython } from '@renovatebot/pep440';
import { compare as compareSemver, valid as validSemver } from 'semver';
import { fixedValue } from '#lib/limits.ts';
import { periodicYield } from '#lib/turns.ts';
import type { Ecosystem } from '#resources/security/dependency-graph/index.ts';
import { alertLimits } from './limits.ts';
import { compareMaven } from './maven-version.ts';

/** Versions from `introduced` on (null: from the first), before `fixed`, up to `last_affected`; or a list of versions. */
export type Vulnerable = {
  introduced: string | null;
  fixed: string | null;
  last_affected: string | null;
  versions: readonly string[] | null;
};

type Order = { isValid(version: string): boolean; compare(one: string, other: string): number };

const semver: Order = { isValid: (version) => validSemver(version) !== null, compare: compareSemver };
const python: Order = { isValid: (version) => validPython(version) !== null, compare: comparePython };
const maven: Order = { isValid: (version) => version !== '' && version.length <= 200, compare: compareMaven };

const orders: Readonly<Record<Ecosystem, Order>> = { npm: semver, go: semver, rust: semver, pip: python, maven };

/** Whether versions of an ecosystem can be compared with bounds at all. */
export const isComparable = (ecosystem: Ecosystem, version: string): boolean => orders[ecosystem].isValid(version);

/** Whether a version is vulnerable. A version that can't be compared isn't known to be. */
export function isVulnerable(
  ecosystem: Ecosystem,
  version: string,
  { introduced, fixed, last_affected, versions }: Vulnerable,
): boolean {
  const { isValid, compare } = orders[ecosystem];
  if (versions !== null) return versions.includes(version);
  if (!isValid(version)) return false;
  return (
    (introduced === null || compare(version, introduced) >= 0) &&
    (fixed === null || compare(version, fixed) < 0) &&
    (last_affected === null || compare(version, last_affected) <= 0)
  );
}

/** The highest of some versions. Those that can't be compared count as lowest. */
export function highestVersion(ecosystem: Ecosystem, versions: readonly string[]): string {
  const { isValid, compare } = orders[ecosystem];
  const valid = versions.filter(isValid);
  return valid.reduce((most, version) => (compare(version, most) > 0 ? version : most), valid[0] ?? versions[0] ?? '');
}

export type VersionCheck = {
  /** Like `isVulnerable`; false if the steps are used up. It yields to the event loop. */
  isVulnerable(ecosystem: Ecosystem, version: string, range: Vulnerable): Promise<boolean>;
  /** Whether some versions weren't compared, since the steps were used up. */
  readonly isExhausted: boolean;
};

/** Compares many versions with many ranges in a limited number of steps, since users control the number of both. */
export function versionCheck(): VersionCheck {
  const yieldNow = periodicYield();
  let left = fixedValue(alertLimits.rangeSteps);
  return {
    async isVulnerable(ecosystem, version, range) {
      if (left <= 0) return false;
      left -= stepsOf(version, range);
      await yieldNow();
      return isVulnerable(ecosystem, version, range);
    },
    get isExhausted() {
      return left <= 0;
    },
  };
}

const stepsOf = (version: string, { introduced, fixed, last_affected, versions }: Vulnerable): number =>
  [introduced, fixed, last_affected].reduce(
    (sum, bound) => sum + (bound === null ? 0 : version.length + bound.length),
    1 + version.length + (versions?.length ?? 0),
  );

/** The versions in readable form: `>= 1.0.0, < 1.2.3`. */
export function rangeText({ introduced, fixed, last_affected, versions }: Vulnerable): string {
  if (versions !== null) return versions.map((version) => `= ${version}`).join(' || ');
  const bounds = [
    introduced === null ? [] : [`>= ${introduced}`],
    fixed === null ? [] : [`< ${fixed}`],
    last_affected === null ? [] : [`<= ${last_affected}`],
  ].flat();
  return bounds.length === 0 ? '>= 0' : bounds.join(', ');
}
