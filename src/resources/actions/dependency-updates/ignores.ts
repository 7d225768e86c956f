// The versions that people don't want.
import type { Id } from '#lib/id.ts';
import { isVulnerable as isInRange } from '#resources/security/dependency-alerts/index.ts';
import type { UpdateRequest } from '#resources/security/dependency-bot/index.ts';
import type { IgnoreRow, ProposalRow, UpdatedDependency } from './store.ts';

const alertEcosystems = { npm: 'npm', pip: 'pip', gomod: 'go' } as const;

/** The name of an ecosystem in advisories and alerts. */
export const alertEcosystemOf = (ecosystem: IgnoreRow['ecosystem']) => alertEcosystems[ecosystem];

/** Whether a new version of a dependency is among those that aren't proposed. */
export const isIgnored = (ignores: readonly IgnoreRow[], { name, to }: Pick<UpdatedDependency, 'name' | 'to'>): boolean =>
  ignores.some((ignore) => {
    if (ignore.package !== name) return false;
    if (ignore.version !== null) return ignore.version === to;
    const { from_version: introduced, before_version: fixed } = ignore;
    if (introduced === null && fixed === null) return true;
    return isInRange(alertEcosystemOf(ignore.ecosystem), to, { introduced, fixed, last_affected: null, versions: null });
  });

const maxSent = 500;

/** The same for the job, which then looks for other versions. */
export const ignoresInRequest = (ignores: readonly IgnoreRow[]): NonNullable<UpdateRequest['version']>['ignore'] =>
  // The latest ones: the server leaves out what older ones say.
  ignores.slice(-maxSent).map((ignore) => {
    const { package: name, version, from_version, before_version } = ignore;
    const isAll = version === null && from_version === null && before_version === null;
    return isAll ? { name } : { name, versions: [conditionOf(ignore)] };
  });

/** The versions that aren't proposed, as a range. */
export function conditionOf({ version, from_version, before_version }: IgnoreRow): string {
  if (version !== null) return `= ${version}`;
  const bounds = [
    ...(from_version === null ? [] : [`>= ${from_version}`]),
    ...(before_version === null ? [] : [`< ${before_version}`]),
  ];
  return bounds.length === 0 ? 'all versions' : bounds.join(', ');
}

/** What a comment or the closing of a pull request asks not to be proposed again. */
export type IgnoredPart = 'version' | 'patch' | 'minor' | 'major' | 'dependency';

/** The rows for the dependencies of a pull request. */
export function ignoresOf(
  { repository_id, ecosystem, dependencies }: Pick<ProposalRow, 'repository_id' | 'ecosystem' | 'dependencies'>,
  part: IgnoredPart,
  { by, now }: { readonly by: Id<'accounts'> | undefined; readonly now: Date },
): Omit<IgnoreRow, 'id'>[] {
  return dependencies.map(({ name, to }) => ({
    repository_id,
    ecosystem,
    package: name,
    ...(part === 'version'
      ? { version: to, from_version: null, before_version: null }
      : { version: null, ...boundsOf(to, part) }),
    created_by: by ?? null,
    created_at: now,
  }));
}

type Bounds = Pick<IgnoreRow, 'from_version' | 'before_version'>;

/** The versions from the one that was proposed on: all, those of its major or minor version, or with `patch` of its minor one. */
function boundsOf(to: string, part: Exclude<IgnoredPart, 'version'>): Bounds {
  if (part === 'dependency') return { from_version: null, before_version: null };
  const [, start = '', major = '0', minor = '0'] = /^(v?)(\d+)(?:\.(\d+))?/.exec(to) ?? [];
  const next = (text: string): string => String(Number(text) + 1);
  switch (part) {
    case 'major':
      return { from_version: `${start}${major}.0.0`, before_version: `${start}${next(major)}.0.0` };
    case 'minor':
      return { from_version: `${start}${major}.${minor}.0`, before_version: `${start}${major}.${next(minor)}.0` };
    case 'patch':
      return { from_version: to, before_version: `${start}${major}.${next(minor)}.0` };
  }
}
