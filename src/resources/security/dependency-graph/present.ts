import type { NamedRepository } from '#endpoint/links.ts';
import { type Links, path } from '#endpoint/links.ts';
import { timestamp } from '#lib/time.ts';
import { periodicYield } from '#lib/turns.ts';
import { packageUrl } from './package-urls.ts';
import type { DependencySbom } from './schemas.ts';
import type { GraphRow, ManifestRow, SnapshotRow, UsedPackage } from './store.ts';

type Graph = {
  graph: GraphRow | undefined;
  manifests: readonly Pick<ManifestRow, 'path' | 'problem'>[];
  packages: readonly UsedPackage[];
  detectors: readonly Pick<SnapshotRow, 'detector' | 'detector_version'>[];
  now: Date;
};

/** A repository's bill of materials. Its first package is the repository itself, which depends on all others. */
export async function presentSbom(
  links: Links,
  repo: NamedRepository & { default_branch: string },
  { graph, manifests, packages, detectors, now }: Graph,
): Promise<DependencySbom> {
  const yieldNow = periodicYield();
  const fullName = `${repo.owner.login}/${repo.name}`;
  const notes = manifests.flatMap(({ path: file, problem }) => (problem === null ? [] : [`${file} ${problem}`]));
  const root = {
    SPDXID: 'SPDXRef-Repository',
    name: fullName,
    versionInfo: graph?.commit_sha ?? repo.default_branch,
    downloadLocation: `git+${path(links.html, repo.owner.login, repo.name)}.git`,
    filesAnalyzed: false,
  };
  const shown: DependencySbom['sbom']['packages'] = [];
  for (const one of packages) {
    shown.push({
      SPDXID: `SPDXRef-${one.ecosystem}-${shown.length + 1}`,
      name: one.name,
      versionInfo: one.version ?? '',
      downloadLocation: 'NOASSERTION',
      filesAnalyzed: false,
      ...(one.license === null ? {} : { licenseDeclared: one.license }),
      ...externalRefsOf(one),
    });
    await yieldNow();
  }
  return {
    sbom: {
      SPDXID: 'SPDXRef-DOCUMENT',
      spdxVersion: 'SPDX-2.3',
      ...(notes.length === 0 ? {} : { comment: `Not everything could be read: ${notes.join('; ')}.` }),
      creationInfo: {
        created: timestamp(graph?.read_at ?? now),
        creators: ['Tool: Hearth', ...detectors.map((one) => `Tool: ${one.detector}-${one.detector_version}`)],
      },
      name: fullName,
      dataLicense: 'CC0-1.0',
      documentNamespace: `${path(links.html, repo.owner.login, repo.name)}/dependency-graph/sbom/${graph?.commit_sha ?? 'empty'}`,
      packages: [root, ...shown],
      relationships: [
        { relationshipType: 'DESCRIBES', spdxElementId: 'SPDXRef-DOCUMENT', relatedSpdxElement: root.SPDXID },
        ...shown.map(({ SPDXID }) => ({
          relationshipType: 'DEPENDS_ON',
          spdxElementId: root.SPDXID,
          relatedSpdxElement: SPDXID,
        })),
      ],
    },
  };
}

function externalRefsOf(one: UsedPackage) {
  const url = packageUrl(one);
  if (url === undefined) return {};
  return { externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceLocator: url, referenceType: 'purl' }] };
}
