import { join } from 'node:path';
import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { git, scratch } from '#test/git/support.ts';
import { world } from '#test/support/world.ts';

const { user, token, url } = await world({ vocabulary: 'github' });
const repository = { owner: 'ada', repo: 'engine' };

test('an unmodified Octokit works on files and on Git data, and git clones what it made', async () => {
  const auth = await token(await user('ada'));
  const octokit = new Octokit({ auth, baseUrl: `${url}/api/v3`, throttle: { enabled: false } });
  await octokit.rest.repos.createForAuthenticatedUser({ name: 'engine', auto_init: true, private: true });

  const file = { ...repository, path: 'notes/first note.md' };
  const content = Buffer.from('# Notes\n').toString('base64');
  const { data: made } = await octokit.rest.repos.createOrUpdateFileContents({ ...file, message: 'Add a note', content });
  const { data: read } = await octokit.rest.repos.getContent(file);
  expect(Array.isArray(read) || !('content' in read) ? undefined : Buffer.from(read.content, 'base64').toString()).toBe(
    '# Notes\n',
  );
  const { data: raw } = await octokit.rest.repos.getContent({ ...file, mediaType: { format: 'raw' } });
  expect(raw).toBe('# Notes\n');
  const { data: commits } = await octokit.rest.repos.listCommits(repository);
  expect(commits.map(({ commit }) => commit.message)).toEqual(['Add a note', 'Initial commit']);
  const { data: patch } = await octokit.rest.repos.getCommit({ ...repository, ref: 'main', mediaType: { format: 'patch' } });
  expect(patch).toContain('+# Notes');

  const parent = made.commit.sha ?? '';
  const { data: blob } = await octokit.rest.git.createBlob({ ...repository, content: 'steam\n' });
  const entry = { path: 'lib/steam.txt', mode: '100644', type: 'blob', sha: blob.sha } as const;
  const { data: tree } = await octokit.rest.git.createTree({ ...repository, base_tree: parent, tree: [entry] });
  const commit = { ...repository, message: 'Add steam', tree: tree.sha, parents: [parent] };
  const { data: second } = await octokit.rest.git.createCommit(commit);
  await octokit.rest.git.createRef({ ...repository, ref: 'refs/heads/feature/steam', sha: second.sha });
  await octokit.rest.git.updateRef({ ...repository, ref: 'heads/main', sha: second.sha });
  const names = await octokit.paginate(octokit.rest.git.listMatchingRefs, { ...repository, ref: 'heads/' }, ({ data }) =>
    data.map(({ ref }) => ref),
  );
  expect(names).toEqual(['refs/heads/feature/steam', 'refs/heads/main']);

  const archive = await octokit.rest.repos.downloadTarballArchive({ ...repository, ref: 'feature/steam' });
  expect(Buffer.from(archive.data as ArrayBuffer).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));

  const folder = await scratch();
  const address = `${url.replace('://', `://x:${auth}@`)}/ada/engine.git`;
  await git(folder, 'clone', '--quiet', address, 'copy');
  expect(await git(join(folder, 'copy'), 'log', '--format=%s', 'origin/feature/steam')).toBe(
    'Add steam\nAdd a note\nInitial commit\n',
  );
  expect((await git(join(folder, 'copy'), 'ls-files')).split('\n')).toContain('lib/steam.txt');
  await git(join(folder, 'copy'), 'fsck', '--strict');

  await octokit.rest.git.deleteRef({ ...repository, ref: 'heads/feature/steam' });
  const gone = await octokit.rest.git.getRef({ ...repository, ref: 'heads/feature/steam' }).catch(({ status }) => status);
  expect(gone).toBe(404);
  const sha = made.content?.sha ?? '';
  await octokit.rest.repos.deleteFile({ ...file, message: 'Remove the note', sha });
  expect(await octokit.rest.repos.getContent(file).catch(({ status }) => status)).toBe(404);
});
