import type { AnyPathResource } from '#endpoint/path-resource.ts';
import {
  groupRunner,
  orgRunner,
  orgRunnerLabel,
  repoRunner,
  repoRunnerLabel,
  runnerGroup,
} from '#resources/actions/runners/path-resources.ts';
import type { Sample, SampleStage, Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

/** A runner below a path, made by its just-in-time configuration. */
async function runnerAt({ client, world, org }: SampleStage, below: string): Promise<{ runner_id: string }> {
  const group = await world.db
    .selectFrom('runner_groups')
    .select('id')
    .where('organization_id', '=', org.id)
    .where('is_default', '=', true)
    .executeTakeFirstOrThrow();
  const wanted = { name: fresh('runner'), runner_group_id: group.id, labels: ['once'] };
  const { body } = await client.post(`${below}/actions/runners/generate-jitconfig`, wanted);
  return { runner_id: String(body.runner.id) };
}

async function labelAt({ client }: SampleStage, runner: string): Promise<{ name: string }> {
  const name = fresh('label');
  await client.post(`${runner}/labels`, { labels: [name] });
  return { name };
}

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [orgRunner, (stage) => runnerAt(stage, `/orgs/${stage.org.login}`)],
  [repoRunner, (stage) => runnerAt(stage, `/repos/${stage.org.login}/${stage.repo.name}`)],
  [
    runnerGroup,
    async ({ client, org, repo }) => {
      const wanted = { name: fresh('group'), visibility: 'selected', selected_repository_ids: [repo.id] };
      const { body } = await client.post(`/orgs/${org.login}/actions/runner-groups`, wanted);
      return { runner_group_id: String(body.id) };
    },
  ],
  [
    groupRunner,
    async (stage, base) => {
      const made = await runnerAt(stage, `/orgs/${stage.org.login}`);
      await stage.client.put(`${base}/runners/${made.runner_id}`);
      return made;
    },
  ],
  [orgRunnerLabel, (stage, base) => labelAt(stage, base)],
  [repoRunnerLabel, (stage, base) => labelAt(stage, base)],
]);
