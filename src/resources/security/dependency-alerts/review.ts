// What a change of dependencies means: which of them are known to be vulnerable.

import { path } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { grouped, keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { DependencyChange } from '#resources/security/dependency-graph/index.ts';
import type { DependencyDifference } from './schemas.ts';
import { listVulnerabilitiesOf, type ReviewedVulnerability } from './store.ts';
import { isVulnerable } from './versions.ts';

/** Changes of the dependencies of a repository, each with the advisories about its version. */
export async function presentDifferences(
  { db, links }: Scope,
  repository: Id<'repositories'>,
  changes: readonly DependencyChange[],
): Promise<DependencyDifference[]> {
  const compared = changes.filter(({ is_comparable }) => is_comparable);
  const packages = [...keyed(compared, keyOf).values()].map(({ ecosystem, name }) => ({ ecosystem, package: name }));
  const known = grouped(await listVulnerabilitiesOf(db, repository, packages), (one) =>
    keyOf({ ecosystem: one.ecosystem, name: one.package }),
  );
  const advisoriesOf = ({ is_comparable, version, ...named }: DependencyChange): ReviewedVulnerability[] => {
    const fitting = (known.get(keyOf(named)) ?? []).filter((one) => isVulnerable(one.ecosystem, version, one));
    return is_comparable ? [...keyed(fitting, ({ identifier }) => identifier).values()] : [];
  };
  return changes.map((change) => {
    const { is_comparable: _, ...shown } = change;
    return {
      ...shown,
      source_repository_url: null,
      vulnerabilities: advisoriesOf(change).map(({ severity, identifier, summary }) => ({
        severity,
        advisory_identifier: identifier,
        advisory_summary: summary,
        advisory_url: path(`${links.html}/advisories`, identifier),
      })),
    };
  });
}

const keyOf = ({ ecosystem, name }: { ecosystem: string; name: string }): string => JSON.stringify([ecosystem, name]);
