import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { environmentVariable, orgVariable, repoVariable } from '#resources/actions/actions-variables/path-resources.ts';
import type { Sample, Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

const variableAt =
  (folder: string): Sample =>
  async ({ client }, base) => {
    const name = fresh('region').replace('-', '_').toUpperCase();
    const variable = { name, value: 'north' };
    await client.post(`${base}${folder}`, base.startsWith('/orgs/') ? { ...variable, visibility: 'selected' } : variable);
    return { name };
  };

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [orgVariable, variableAt('/actions/variables')],
  [repoVariable, variableAt('/actions/variables')],
  [environmentVariable, variableAt('/variables')],
]);
