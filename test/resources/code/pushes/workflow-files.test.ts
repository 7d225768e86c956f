import { expect, test } from 'vitest';
import { countGitProcesses } from '#git/process/process.ts';
import { explainPush } from '#server/explain-push.ts';
import { git, scratch } from '#test/git/support.ts';
import { pushWorkflow } from '#test/resources/actions/workflow-runs/setting.ts';
import { addCommit, diskOf } from '#test/resources/code/commits/setting.ts';
import { forkSetting, type PullSetting, pullSetting, push } from '#test/resources/collaboration/pulls/setting.ts';
import { addressOf, complaint } from '#test/server/git-http/support.ts';
import { hasOpenSsh, sshWorld } from '#test/ssh-server/support.ts';
import { installApp, oauthToken } from '#test/support/apps.ts';
import { startRunner } from '#test/support/runner-client.ts';

const { here: w, keyFile, git: gitOverSsh, address } = await sshWorld({ resourceLimits: { workflows: { poll: 100 } } });

const workflow = '.github/workflows/ci.yml';
const neutral = '.service/workflows/ci.yml';
const text = 'on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: x\n';
const base64 = (content: string) => Buffer.from(content).toString('base64');
const contents = { contents: 'write', pull_requests: 'write' };

/** A repository with a workflow on `main`, and a branch `change` that changes it. Its branch `plain` changes something else. */
async function setting() {
  const pulls = await pullSetting(w);
  const { commit } = pulls;
  const main = await commit('main', { [workflow]: text, [neutral]: text });
  const gitRepository = diskOf(w, pulls.repo);
  const on = async (branch: string, files: Record<string, string | null>) => {
    const oid = await addCommit(gitRepository, { files, parents: [main] });
    await push(w, pulls.ada, pulls.repo, branch, oid);
    return oid;
  };
  return {
    ...pulls,
    main,
    on,
    change: await on('change', { [workflow]: `${text}# changed\n` }),
    plain: await on('plain', { b: '1' }),
  };
}

type Setting = Awaited<ReturnType<typeof setting>>;

/** Tokens that may write contents and no workflow files, and those that may; what a refusal calls them. */
const credentials: Record<string, { token: (s: PullSetting, may: boolean) => Promise<string>; says: string }> = {
  'a classic token': {
    token: ({ ada }, may) => w.token(ada, may ? ['repo', 'workflow'] : ['repo']),
    says: 'a Personal Access Token to create or update workflow `PATH` without `workflow` scope',
  },
  'a token of an OAuth app': {
    token: ({ ada }, may) => oauthToken(w, ada, may ? ['repo', 'workflow'] : ['repo']),
    says: 'an OAuth App to create or update workflow `PATH` without `workflow` scope',
  },
  'a fine-grained token': {
    token: ({ ada, repo }, may) => w.fineGrained(ada, ada, { ...contents, ...(may && { workflows: 'write' }) }, [repo]),
    says: 'a Personal Access Token to create or update workflow `PATH` without `workflows` permission',
  },
  'an installation': {
    token: async ({ ada }, may) =>
      (await installApp(w, { on: ada, permissions: { ...contents, ...(may && { workflows: 'write' }) } })).token,
    says: 'an App to create or update workflow `PATH` without `workflows` permission',
  },
  'an app that acts for a user': {
    token: async ({ ada }, may) => {
      const permissions = { ...contents, ...(may && { workflows: 'write' }) };
      return (await installApp(w, { on: ada, permissions })).userToken(ada);
    },
    says: 'an App to create or update workflow `PATH` without `workflows` permission',
  },
};

async function cloned({ repo }: PullSetting, token: string): Promise<string> {
  const folder = await scratch();
  await git(folder, 'clone', '-q', addressOf(w, repo, token), '.');
  return folder;
}

test.each(Object.entries(credentials))('%s needs the right for workflow files to push them', async (_name, { token, says }) => {
  const s = await setting();
  const message = `refusing to allow ${says.replace('PATH', workflow)}`;
  const folder = await cloned(s, await token(s, false));
  const refused = await complaint(folder, 'push', 'origin', `${s.change}:refs/heads/main`, `${s.plain}:refs/heads/other`);
  expect(refused).toContain(`[remote rejected] ${s.change} -> main (${message})`);
  expect(refused).toContain(`${s.plain} -> other`);
  expect([await s.tip('main'), await s.tip('other')]).toEqual([s.main, s.plain]);
  const put = { message: 'Change', content: base64('on: push\n'), branch: 'main' };
  const api = await w.as(await token(s, false));
  expect(await api.put(`${s.base}/contents/.github/workflows/new.yml`, put)).toMatchObject({
    status: 403,
    body: { message: `refusing to allow ${says.replace('PATH', '.github/workflows/new.yml')}` },
  });
  expect((await api.put(`${s.base}/contents/notes.txt`, put)).status).toBe(201);
  const entitled = await w.as(await token(s, true));
  expect((await entitled.put(`${s.base}/contents/.github/workflows/new.yml`, put)).status).toBe(201);
  const again = await cloned(s, await token(s, true));
  await git(again, 'push', '-f', 'origin', `${s.change}:refs/heads/main`);
  expect(await s.tip('main')).toBe(s.change);
});

type Request = [method: 'put' | 'post' | 'patch' | 'delete', path: string, body: object];

/** The ways by which a branch or tag gets a changed workflow, each with the status of its refusal. */
const ways: Record<string, { refused?: number; done: number; request: (s: Setting) => Request | Promise<Request> }> = {
  'changing a file': {
    done: 200,
    request: async ({ base, client }) => {
      const { sha } = (await client.get(`${base}/contents/${workflow}`)).body;
      return ['put', `${base}/contents/${workflow}`, { message: 'Change', content: base64('on: push\n'), sha }];
    },
  },
  'changing a file of the neutral folder': {
    done: 200,
    request: async ({ base, client }) => {
      const { sha } = (await client.get(`${base}/contents/${neutral}`)).body;
      return ['put', `${base}/contents/${neutral}`, { message: 'Change', content: base64('on: push\n'), sha }];
    },
  },
  'removing a file': {
    done: 200,
    request: async ({ base, client }) => {
      const { sha } = (await client.get(`${base}/contents/${workflow}`)).body;
      return ['delete', `${base}/contents/${workflow}`, { message: 'Remove', sha }];
    },
  },
  'moving a ref': { done: 200, request: ({ base, change }) => ['patch', `${base}/git/refs/heads/main`, { sha: change }] },
  'creating a branch': {
    done: 201,
    async request({ base, repo, main }) {
      const sha = await addCommit(diskOf(w, repo), { files: { [workflow]: `${text}# new\n` }, parents: [main] });
      return ['post', `${base}/git/refs`, { ref: 'refs/heads/new', sha }];
    },
  },
  'creating a tag': {
    done: 201,
    async request({ base, repo, main }) {
      const sha = await addCommit(diskOf(w, repo), { files: { [neutral]: `${text}# new\n` }, parents: [main] });
      return ['post', `${base}/git/refs`, { ref: 'refs/tags/v1', sha }];
    },
  },
  'the tag of a release': {
    done: 201,
    async request({ base, repo, main }) {
      const sha = await addCommit(diskOf(w, repo), { files: { [workflow]: `${text}# new\n` }, parents: [main] });
      return ['post', `${base}/releases`, { tag_name: 'v2', target_commitish: sha }];
    },
  },
  'merging a branch': { done: 201, request: ({ base }) => ['post', `${base}/merges`, { base: 'main', head: 'change' }] },
  'updating the branch of a pull request': {
    refused: 422,
    done: 202,
    async request({ base, open, commit }) {
      const number = await open('plain');
      await commit('main', { [workflow]: `${text}# main\n` });
      return ['put', `${base}/pulls/${number}/update-branch`, {}];
    },
  },
  ...Object.fromEntries(
    ['merge', 'squash', 'rebase'].map((merge_method) => [
      `merging a pull request by ${merge_method}`,
      {
        done: 200,
        async request({ base, open, tested }: Setting): Promise<Request> {
          const number = await open('change');
          await tested(number);
          return ['put', `${base}/pulls/${number}/merge`, { merge_method }];
        },
      },
    ]),
  ),
};

const refsOf = async ({ client, base }: Setting) =>
  (await client.get(`${base}/git/matching-refs/`)).body.map(({ ref, object }: { ref: string; object: { sha: string } }) => [
    ref,
    object.sha,
  ]);

test.each(Object.entries(ways))('%s with a workflow needs the right', async (_name, { refused = 403, done, request }) => {
  const s = await setting();
  const [method, path, body] = await request(s);
  const before = await refsOf(s);
  const api = await w.as(await w.token(s.ada, ['repo']));
  expect(await api[method](path, body)).toMatchObject({
    status: refused,
    body: { message: expect.stringContaining('refusing to allow a Personal Access Token to create or update workflow') },
  });
  expect(await refsOf(s)).toEqual(before);
  const entitled = await w.as(await w.token(s.ada, ['repo', 'workflow']));
  expect((await entitled[method](path, body)).status).toBe(done);
});

test('a fork is brought up to date with changed workflows by who may write them', async () => {
  const s = await setting();
  const user = await w.user();
  const fork = await forkSetting(w, s, user);
  await s.commit('main', { [workflow]: `${text}# later\n` });
  const sync = async (scopes: ('repo' | 'workflow')[]) =>
    (await w.as(await w.token(user, scopes))).post(`${fork.base}/merge-upstream`, { branch: 'main' });
  expect(await sync(['repo'])).toMatchObject({
    status: 422,
    body: { message: expect.stringMatching(/refusing to allow.*without `workflow` scope/) },
  });
  expect((await sync(['repo', 'workflow'])).status).toBe(200);
});

test('a new branch may have workflows that branches have already', async () => {
  const s = await setting();
  await s.on('neutral', { [neutral]: `${text}# changed\n` });
  const both = await addCommit(diskOf(w, s.repo), {
    files: { [workflow]: `${text}# changed\n`, [neutral]: `${text}# changed\n` },
    parents: [s.main],
  });
  const api = await w.as(await w.token(s.ada, ['repo']));
  const create = (ref: string, sha: string) => api.post(`${s.base}/git/refs`, { ref, sha });
  expect((await create('refs/heads/same', s.main)).status).toBe(201);
  expect((await create('refs/heads/both', both)).status).toBe(201);
  const renamed = await addCommit(diskOf(w, s.repo), { files: { '.github/workflows/other.yml': text }, parents: [s.main] });
  expect((await create('refs/heads/renamed', renamed)).status).toBe(403);
  const fewer = await addCommit(diskOf(w, s.repo), { files: { [workflow]: null }, parents: [s.main] });
  expect((await create('refs/heads/fewer', fewer)).status).toBe(201);
});

test('a job never changes workflows, whatever its workflow asks for', async () => {
  const owner = await w.user();
  const repo = await w.repo(owner, { visibility: 'private' });
  await pushWorkflow(w, repo, { [workflow]: `permissions: write-all\n${text.replace('runs-on: x', 'runs-on: ubuntu-latest')}` });
  const runner = await startRunner(w, repo);
  const task = await runner.fetch();
  const api = await w.as(task?.secrets.GITHUB_TOKEN ?? '');
  const write = (path: string) =>
    api.put(`/repos/${owner.login}/${repo.name}/contents/${path}`, { message: 'Write', content: base64('on: push\n') });
  expect((await write('notes.txt')).status).toBe(201);
  expect(await write('.github/workflows/mine.yml')).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining('an App to create or update workflow `.github/workflows/mine.yml`') },
  });
});

test.runIf(hasOpenSsh)('SSH keys of people and deploy keys may write workflows', async () => {
  const s = await setting();
  const add = async (path: string, more: object) => {
    const key = keyFile();
    expect((await s.client.post(path, { title: 'key', key: key.line, ...more })).status).toBe(201);
    return key;
  };
  const keys = { person: await add('/user/keys', {}), repository: await add(`${s.base}/keys`, { read_only: false }) };
  const folder = await cloned(s, await w.token(s.ada));
  for (const [name, key] of Object.entries(keys)) {
    const oid = await s.on(name, { [workflow]: `${text}# ${name}\n` });
    await git(folder, 'fetch', '-q', 'origin');
    const refspec = `+${oid}:refs/heads/main`;
    expect(await gitOverSsh(key, ['push', address(s.owner.login, s.repo.name), refspec], { cwd: folder })).toMatchObject({
      code: 0,
    });
    expect(await s.tip('main')).toBe(oid);
  }
});

test('comparing the folders of workflows starts no git process', async () => {
  const s = await setting();
  const api = await w.as(await w.token(s.ada, ['repo']));
  const { started } = await countGitProcesses(() => api.patch(`${s.base}/git/refs/heads/main`, { sha: s.plain }));
  // The move itself may start these, unless one that is open is used.
  expect(started.filter((name) => !['merge-base', 'update-ref'].includes(name))).toEqual([]);
  expect(await s.tip('main')).toBe(s.plain);
});

test('an explanation of a push names the right', async () => {
  const s = await setting();
  const ask = async (token: string, to: string) =>
    explainPush({
      db: w.db,
      services: w.hearth.services,
      authorization: `Bearer ${token}`,
      owner: s.owner.login,
      name: s.repo.name,
      ref: 'main',
      to,
      now: w.clock.now,
    });
  const because =
    'refusing to allow a Personal Access Token to create or update workflow ' + `\`${workflow}\` without \`workflow\` scope`;
  expect(await ask(await w.token(s.ada, ['repo']), 'change')).toMatchObject({
    allowed: false,
    message: because,
    steps: [{ check: 'access' }, { check: 'workflow files', passed: false, because }],
  });
  expect(await ask(await w.token(s.ada, ['repo']), 'plain')).toMatchObject({ allowed: true });
  expect(await ask(await w.token(s.ada), 'change')).toMatchObject({ allowed: true });
});
