import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { image, runner, version } from '#resources/actions/hosted-runners/path-resources.ts';
import type { Sample, SampleStage, Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';
import { generator, groupOf, publish } from './setting.ts';

/** A runner that is ready and generates images. */
async function ready(stage: SampleStage): Promise<{ id: number; name: string }> {
  const { client, org } = stage;
  const place = {
    here: stage.world,
    client,
    group: await groupOf(stage.world, org),
    path: `/orgs/${org.login}/actions/hosted-runners`,
  };
  const name = fresh('runner');
  return { id: await generator(place, { name }), name };
}

/** Publishes a version of an image of the stage's organization. */
const published = async (stage: SampleStage, name: string) =>
  publish({ here: stage.world, org: stage.org }, { runner: (await ready(stage)).name, image: name });

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [runner, async (stage) => ({ hosted_runner_id: String((await ready(stage)).id) })],
  [image, async (stage) => ({ image_definition_id: String((await published(stage, fresh('image'))).image) })],
  [
    version,
    async (stage, base) => {
      const { body } = await stage.client.get(base);
      return { version: (await published(stage, body.name)).version };
    },
  ],
]);
