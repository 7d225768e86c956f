import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { team, teamById } from '#resources/identity/teams/path-resources.ts';
import type { Sample, Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

/** A team with the stage's repository and its member. */
const make: Sample = async ({ client, org, repo }) => {
  const wanted = { name: fresh('team'), privacy: 'closed', repo_names: [`${org.login}/${repo.name}`] };
  const { body } = await client.post(`/orgs/${org.login}/teams`, wanted);
  await client.put(`/teams/${body.id}/memberships/carl`);
  return { team_slug: body.slug, team_id: String(body.id) };
};

const only =
  (word: 'team_slug' | 'team_id'): Sample =>
  async (stage, base) => {
    const { [word]: value = '' } = await make(stage, base);
    return { [word]: value };
  };

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [team, only('team_slug')],
  [teamById, only('team_id')],
]);
