import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { checkRun, checkSuite } from '#resources/code/checks/path-resources.ts';
import { addFile } from '#test/resources/code/commits/setting.ts';
import { installApp } from '#test/support/apps.ts';
import type { Sample, SampleStage, Samples } from '#test/support/samples.ts';

/** A run of an app, of a commit of its own. */
async function makeRun({ as, world, client, org }: SampleStage, base: string) {
  const { token } = await installApp(world, { on: org, permissions: { checks: 'write' } });
  const { commit } = await addFile(client, base);
  const { body } = await (await as(token)).post(`${base}/check-runs`, { name: 'tests', head_sha: commit });
  return body;
}

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [checkRun, async (stage, base) => ({ check_run_id: String((await makeRun(stage, base)).id) })],
  [checkSuite, async (stage, base) => ({ check_suite_id: String((await makeRun(stage, base)).check_suite.id) })],
]);
