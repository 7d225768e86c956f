import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { replaceAdvisory } from '#resources/security/dependency-alerts/advisory-store.ts';
import { readOsv } from '#resources/security/dependency-alerts/osv.ts';
import { globalAdvisory, repositoryAdvisory } from '#resources/security/repository-advisories/path-resources.ts';
import { advisoryOf } from '#test/resources/security/dependency-alerts/setting.ts';
import type { Sample, Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [
    repositoryAdvisory,
    async ({ client }, base) => {
      const wanted = { summary: 'It breaks', description: 'Badly.', vulnerabilities: [] };
      const { body } = await client.post(`${base}/security-advisories`, wanted);
      return { advisory_id: body.advisory_id };
    },
  ],
  [
    globalAdvisory,
    async ({ world }) => {
      const { advisory, vulnerabilities } = readOsv(JSON.stringify(advisoryOf(fresh('OSV-global'), 'left', undefined)));
      await world.change((scope) => replaceAdvisory(scope.tx, advisory, vulnerabilities));
      return { advisory_id: advisory.identifier };
    },
  ],
]);
