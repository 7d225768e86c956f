import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { codeScanningAlert, codeScanningAnalysis, sarifUpload } from '#resources/security/code-scanning/path-resources.ts';
import { addFile } from '#test/resources/code/commits/setting.ts';
import type { Sample, SampleStage, Samples } from '#test/support/samples.ts';
import { codeql, packed } from './setting.ts';

/** Brings results for a commit of main: one alert, or two elsewhere. */
async function analyse({ client, settle, place }: SampleStage, base: string): Promise<string> {
  const { commit } = await addFile(client, base);
  const problem = { rule: 'js/unused-local-variable', path: 'a.js', line: 1 };
  const problems = [{ ...problem, hash: `${place}:1` }, ...(place === 'here' ? [] : [{ ...problem, hash: 'more:1' }])];
  const wanted = { commit_sha: commit, ref: 'refs/heads/main', sarif: packed(codeql(problems)) };
  const { body } = await client.post(`${base}/code-scanning/sarifs`, wanted);
  await settle();
  return body.id;
}

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [sarifUpload, async (stage, base) => ({ sarif_id: await analyse(stage, base) })],
  [
    codeScanningAnalysis,
    async (stage, base) => {
      const sarif = await analyse(stage, base);
      const { body } = await stage.client.get(`${base}/code-scanning/analyses?sarif_id=${sarif}`);
      return { analysis_id: String(body[0].id) };
    },
  ],
  [
    codeScanningAlert,
    async (stage, base) => {
      await analyse(stage, base);
      const { body } = await stage.client.get(`${base}/code-scanning/alerts`);
      return { alert_number: String(body[0].number) };
    },
  ],
]);
