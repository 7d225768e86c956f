// A repository all of whose texts attack who reads them.
import type { RepositoryRow } from '#access/viewer.ts';
import { installApp } from '#test/support/apps.ts';
import { attacks, shortAttacks } from '#test/support/attacks.ts';
import { commitFiles } from '#test/support/commit.ts';
import type { SampleStage } from '#test/support/samples.ts';
import { codeql, packed } from '../resources/security/code-scanning/setting.ts';

const everything = attacks.join('\n\n');

/** Those that may be a part of a path of Git. */
const fileNames = shortAttacks.map((text) => text.replaceAll('/', '∕'));
/** The names of refs have no blanks, and none of Git's own signs. */
const refNames = [
  '<svg/onload=alarm(1)>',
  '"><svg/onload=alarm(1)>',
  "'onmouseover='alarm(1)",
  '"autofocus/onfocus="alarm(1)',
  '</title><svg/onload=alarm(1)>',
  'javascript;alarm(1)',
  '`onload=alarm(1)`',
  '&lt;svg/onload=alarm(1)&gt;',
];

const files = (): Record<string, string> => ({
  ...Object.fromEntries(fileNames.map((name) => [name, name])),
  ...Object.fromEntries(fileNames.map((name) => [`in ${name}/${name}.md`, everything])),
  'README.md': everything,
  'LICENSE.txt': everything,
  'page.html': everything,
  'code.js': attacks.map((text) => `// ${text}`).join('\n'),
  'table.csv': attacks.map((text) => `"${text.replaceAll('"', '""')}",1`).join('\n'),
  'picture.svg': '<svg xmlns="http://www.w3.org/2000/svg" onload="alarm(1)"><script>alarm(1)</script></svg>',
  'notes.ipynb': JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {},
    cells: [
      { cell_type: 'markdown', metadata: {}, source: everything },
      {
        cell_type: 'code',
        metadata: {},
        execution_count: 1,
        source: everything,
        outputs: [{ output_type: 'display_data', metadata: {}, data: { 'text/html': everything, 'image/svg+xml': everything } }],
      },
    ],
  }),
  '.github/workflows/attack.yml': `name: ${JSON.stringify(shortAttacks[1])}
run-name: ${JSON.stringify(shortAttacks[2])}
on: push
jobs:
  build:
    name: ${JSON.stringify(shortAttacks[3])}
    runs-on: ubuntu-latest
    steps:
      - name: ${JSON.stringify(shortAttacks[4])}
        run: "true"
`,
});

type Sent = { number: number; id: number };
/** A client that sends what it is given, without comparing replies with their descriptions: an attack needs no valid address. */
type Attacker = Record<'post' | 'put' | 'patch', (path: string, body: object) => Promise<Sent>>;

function attackerOf(url: string, token: string): Attacker {
  const send = (method: string) => async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}/api/v3${path}`, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (response.status === 204 ? {} : await response.json()) as Sent;
  };
  return { post: send('POST'), put: send('PUT'), patch: send('PATCH') };
}

/** Makes such a repository in a stage's organization. */
export async function makeAttacked(stage: SampleStage): Promise<RepositoryRow> {
  const { world, org, owner } = stage;
  const repo = await world.repo(org, { name: 'attacked', by: owner });
  const client = attackerOf(world.url, await world.token(owner));
  const at = `/repos/${org.login}/${repo.name}`;
  await commitFiles(world, repo, { 'empty.txt': '' }, attacks.join('\n'));
  const sha = await commitFiles(world, repo, files(), `${shortAttacks[1]}\n\n${everything}`);
  await world.settle();
  await writeAbout(client, `/orgs/${org.login}`, at);
  await writeRefs(client, at, sha);
  await writeTalk(client, at, sha);
  await writeResults(stage, client, at, sha);
  await writeLog(stage, repo);
  await world.settle();
  return repo;
}

async function writeAbout(client: Attacker, ofOrg: string, at: string): Promise<void> {
  const [text = ''] = shortAttacks;
  await client.patch(at, { description: shortAttacks.slice(0, 10).join(' '), homepage: 'javascript:alarm(1)' });
  await client.patch('/user', {
    name: text,
    bio: shortAttacks.slice(1, 5).join(' '),
    company: text,
    location: text,
    blog: 'javascript:alarm(1)',
  });
  await client.patch(ofOrg, { name: text, description: text, company: text, location: text, blog: 'javascript:alarm(1)' });
  await client.post(`${ofOrg}/teams`, { name: text, description: text });
  await client.post(`${at}/hooks`, { config: { url: `https://example.com/'onclick='alarm(1)` } });
}

async function writeRefs(client: Attacker, at: string, sha: string): Promise<void> {
  for (const name of refNames) {
    await client.post(`${at}/git/refs`, { ref: `refs/heads/${name}`, sha });
    await client.post(`${at}/git/refs`, { ref: `refs/tags/${name}`, sha });
  }
  const [branch = ''] = refNames;
  await client.put(`${at}/contents/changed.txt`, { message: everything, content: 'YQ==', branch });
  await client.post(`${at}/pulls`, { title: shortAttacks[1], body: everything, head: branch, base: 'main' });
  await client.post(`${at}/releases`, { tag_name: branch, name: shortAttacks[2], body: everything });
}

async function writeTalk(client: Attacker, at: string, sha: string): Promise<void> {
  await client.post(`${at}/milestones`, { title: shortAttacks[1], description: everything });
  for (const name of shortAttacks) await client.post(`${at}/labels`, { name, description: name, color: 'aa3300' });
  const { number } = await client.post(`${at}/issues`, {
    title: shortAttacks[0],
    body: everything,
    labels: shortAttacks.slice(0, 10),
    milestone: 1,
  });
  for (const body of attacks) await client.post(`${at}/issues/${number}/comments`, { body });
  for (const title of shortAttacks) await client.patch(`${at}/issues/${number}`, { title });
  for (const title of shortAttacks) await client.post(`${at}/issues`, { title, body: title });
  await client.post(`${at}/commits/${sha}/comments`, { body: everything });
}

async function writeResults({ world, org }: SampleStage, client: Attacker, at: string, sha: string): Promise<void> {
  const [text = ''] = shortAttacks;
  for (const [index, context] of shortAttacks.slice(0, 4).entries()) {
    const target_url = `https://example.com/${index}'onclick='alarm(1)`;
    await client.post(`${at}/statuses/${sha}`, { state: 'failure', context, description: context, target_url });
  }
  const { token } = await installApp(world, { on: org, permissions: { checks: 'write' } });
  const output = {
    title: text,
    summary: everything,
    text: everything,
    annotations: [
      { path: 'code.js', start_line: 1, end_line: 1, annotation_level: 'failure', message: text, title: text, raw_details: text },
    ],
  };
  const app = attackerOf(world.url, token);
  await app.post(`${at}/check-runs`, { name: text, head_sha: sha, status: 'completed', conclusion: 'failure', output });
  const sarif = packed(
    codeql(
      shortAttacks
        .slice(0, 6)
        .map((one) => ({ rule: 'js/unused-local-variable', path: 'code.js', line: 1, text: one, hash: one })),
    ),
  );
  await client.post(`${at}/code-scanning/sarifs`, { commit_sha: sha, ref: 'refs/heads/main', sarif });
  await client.put(`${at}/environments/${encodeURIComponent('<svg onload=alarm(1)>')}`, {});
  await client.post(`${at}/deployments`, {
    ref: 'main',
    environment: '<svg onload=alarm(1)>',
    description: text,
    required_contexts: [],
  });
  await client.post(`${at}/actions/variables`, { name: 'ATTACK', value: text });
}

/** Ends the run, and gives its job a log. */
async function writeLog({ world: { db } }: SampleStage, repo: RepositoryRow): Promise<void> {
  const run = db.selectFrom('workflow_runs').select('id').where('repository_id', '=', repo.id);
  const text = attacks.map((one) => `${one.replaceAll('\n', ' ')}\n\u001b[31m${one.replaceAll('\n', ' ')}\u001b[0m\n`).join('');
  const logged = db
    .updateTable('workflow_jobs')
    .set({ log_rows: attacks.length * 2, log_bytes: Buffer.byteLength(text) })
    .where('run_id', 'in', run);
  const { id } = await logged.returning('id').executeTakeFirstOrThrow();
  await db.insertInto('workflow_job_log_parts').values({ job_id: id, first_row: 0, text }).execute();
}
