import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Account } from '#access/viewer.ts';
import type { Task } from '#runner-protocol/generated/runner/v1/runner_pb.js';
import { pushWorkflow } from '#test/resources/actions/workflow-runs/setting.ts';
import { packed } from '#test/resources/security/code-scanning/setting.ts';
import { type Client, clientOf } from '#test/support/client.ts';
import { atEndOfFile } from '#test/support/end-of-file.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { fresh, type World } from '#test/support/world.ts';

const folder = '.github/workflows';

/** An analyser that takes all inputs. */
export const scanner = `name: Scanner
on:
  workflow_call:
    inputs:
      language: {type: string, required: true}
      category: {type: string, required: true}
      runner: {type: string, default: ubuntu-latest}
      query_suite: {type: string, default: ''}
      threat_model: {type: string, default: ''}
jobs:
  scan:
    runs-on: \${{ inputs.runner }}
    steps:
      - run: scan
        env:
          LANGUAGE: \${{ inputs.language }}
          CATEGORY: \${{ inputs.category }}
          SUITE: \${{ inputs.query_suite }}
          MODEL: \${{ inputs.threat_model }}
`;

/** One that takes the language alone. */
const linter = `on:
  workflow_call:
    inputs: {language: {type: string}}
jobs:
  lint:
    runs-on: ubuntu-latest
    steps:
      - run: lint
`;

/** The analysers of these tests. Ruby's doesn't exist. */
export const analysers = {
  code_scanning: {
    python: `scans/analysers/${folder}/scan.yml@main`,
    go: `scans/analysers/${folder}/scan.yml@main`,
    'javascript-typescript': `scans/analysers/${folder}/lint.yml@main`,
    ruby: `scans/analysers/${folder}/none.yml@main`,
  },
  code_quality: { 'javascript-typescript': `scans/analysers/${folder}/lint.yml@main` },
};

/** A file of analysers, until the end of the test file. */
export async function analysersFile(value: unknown = analysers): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'hearth-analysers-'));
  atEndOfFile(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, 'analysers.json');
  await writeFile(file, typeof value === 'string' ? value : JSON.stringify(value));
  return file;
}

/** Makes the repository of the analysers, which everybody may use. @returns the client of its owner */
export async function makeAnalysers(w: World, files: Record<string, string> = {}): Promise<Client> {
  const owner = await w.user(fresh('operator'));
  const repo = await w.repo(await w.org(owner, 'scans'), { name: 'analysers', by: owner });
  await pushWorkflow(w, repo, { [`${folder}/scan.yml`]: scanner, [`${folder}/lint.yml`]: linter, ...files });
  return w.as(owner);
}

type Options = { files?: Record<string, string>; org?: Account; owner?: Account };

/** A private repository with files in Python, and what its setup has done. */
export async function setupSetting(w: World, { files = { 'app.py': 'exec(input())\n' }, ...given }: Options = {}) {
  const owner = given.owner ?? (await w.user(fresh('owner')));
  const org = given.org ?? (await w.org(owner));
  const repo = await w.repo(org, { visibility: 'private', by: owner });
  const client = await w.as(owner);
  const base = `/repos/${org.login}/${repo.name}`;
  const head = Object.keys(files).length > 0 ? await pushWorkflow(w, repo, files) : '';
  const at = `${base}/code-scanning/default-setup`;
  const runs = async () => {
    await w.settle();
    return (await client.get(`${base}/actions/runs`)).body.workflow_runs;
  };
  return { owner, org, repo, client, base, head, at, runs, configure: (wanted: object = {}) => configure(client, at, wanted) };
}

const configure = (client: Client, at: string, wanted: object) => client.patch(at, { state: 'configured', ...wanted });

/** The file of a task, as its runner gets it. */
export const fileOf = ({ workflowPayload }: Task) => JSON.parse(Buffer.from(workflowPayload ?? []).toString());

/** A runner that answers the next job with results in SARIF, as an analyser would by the API and its token. */
export async function runAnalyser(w: World, repo: Parameters<typeof startRunner>[1], sarif: object) {
  const runner = await startRunner(w, repo, { name: fresh('runner') });
  const task = await runner.fetch();
  if (!task) throw new Error('No job waits');
  const context = task.context as { repository: string; ref: string; sha: string };
  const job = clientOf(w.url, task.secrets.GITHUB_TOKEN ?? '');
  const at = `/repos/${context.repository}`;
  const sent = await job.post(`${at}/code-scanning/sarifs`, { ref: context.ref, commit_sha: context.sha, sarif: packed(sarif) });
  // The token may write results, and nothing else.
  const wrote = await job.put(`${at}/contents/x.txt`, { message: 'x', content: 'eA==' });
  await runner.end(task, 'success');
  await w.settle();
  return { task, context, sent, wrote };
}
