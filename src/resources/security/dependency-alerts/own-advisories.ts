// Advisories that repositories of this server publish, in addition to advisories from files.
import type { WriteScope } from '#endpoint/scope.ts';
import { type Ecosystem, pythonName } from '#resources/security/dependency-graph/index.ts';
import { listOwned, type NewAdvisory, type NewVulnerability, replaceAdvisory } from './advisory-store.ts';
import { announceChange } from './load.ts';

type Scored = { vector: string; score: number; severity: NewAdvisory['severity'] };

/** The score of a vector of CVSS 3 or 4, and its severity; undefined if it is invalid. */
export async function scoreOf(vector: string): Promise<Scored | undefined> {
  const { levelOf, scoreOf } = await import('./osv.ts'); // loaded on demand, since most servers score nothing
  const scored = scoreOf(vector);
  return scored && { ...scored, severity: levelOf(scored.score) };
}

/** The name of a package, as in dependencies. */
export const advisoryPackage = (ecosystem: Ecosystem, name: string): string => (ecosystem === 'pip' ? pythonName(name) : name);

/**
 * Publishes a repository's advisory to the server, or updates it, and compares the repositories that use its packages. If the
 * operator has a file with that identifier, the file takes precedence.
 */
export async function announceAdvisory(
  scope: WriteScope,
  context: { now: Date },
  row: NewAdvisory,
  vulnerabilities: readonly NewVulnerability[],
): Promise<void> {
  if ((await listOwned(scope.tx, [row.identifier])).length > 0) return;
  await announceChange(scope, context, [row.identifier], () => replaceAdvisory(scope.tx, row, vulnerabilities));
}
