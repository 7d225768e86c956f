// The vulnerabilities in changed dependencies.

import { type Links, path } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { grouped, keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { unprocessable } from '#lib/refusal.ts';
import type { DependencyChange } from '#resources/security/dependency-graph/index.ts';
import { alertLimits } from './limits.ts';
import type { DependencyDifference } from './schemas.ts';
import { listVulnerabilitiesOf, type ReviewedVulnerability } from './store.ts';
import { versionCheck } from './versions.ts';

/** Changes of the dependencies of a repository, each with the advisories about its version. */
export async function presentDifferences(
  { db, links }: Scope,
  repository: Id<'repositories'>,
  changes: readonly DependencyChange[],
): Promise<DependencyDifference[]> {
  const compared = changes.filter(({ is_comparable }) => is_comparable);
  const packages = [...keyed(compared, keyOf).values()].map(({ ecosystem, name }) => ({ ecosystem, package: name }));
  const ranges = await listVulnerabilitiesOf(db, repository, packages);
  if (ranges.length > fixedValue(alertLimits.ranges)) throw tooMany();
  const known = grouped(ranges, (one) => keyOf({ ecosystem: one.ecosystem, name: one.package }));
  const check = versionCheck();
  const shown: DependencyDifference[] = [];
  for (const { is_comparable, ...change } of changes) {
    const advisories = new Map<string, ReviewedVulnerability>();
    for (const one of is_comparable ? (known.get(keyOf(change)) ?? []) : [])
      if (await check.isVulnerable(one.ecosystem, change.version, one)) advisories.set(one.identifier, one);
    if (check.isExhausted) throw tooMany();
    const vulnerabilities = [...advisories.values()].map((one) => presentVulnerability(links, one));
    shown.push({ ...change, source_repository_url: null, vulnerabilities });
  }
  return shown;
}

/** Omitting some would hide vulnerabilities. */
const tooMany = () => unprocessable('The comparison has too many versions of packages with too many vulnerabilities.');

const presentVulnerability = (links: Links, { severity, identifier, summary }: ReviewedVulnerability) => ({
  severity,
  advisory_identifier: identifier,
  advisory_summary: summary,
  advisory_url: path(`${links.html}/advisories`, identifier),
});

const keyOf = ({ ecosystem, name }: { ecosystem: string; name: string }): string => JSON.stringify([ecosystem, name]);
