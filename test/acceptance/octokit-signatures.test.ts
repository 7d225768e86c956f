import { join } from 'node:path';
import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { sshKeygen } from '#test/git/signatures/support.ts';
import { git, scratch } from '#test/git/support.ts';
import { world } from '#test/support/world.ts';

const { user, token, url, settle } = await world({ vocabulary: 'github' });

test('an unmodified Octokit adds a key, and sees that what was pushed is signed by it', async () => {
  const auth = await token(await user('ada', { email: 'ada@example.org' }));
  const octokit = new Octokit({ auth, baseUrl: `${url}/api/v3`, throttle: { enabled: false } });
  const engine = { owner: 'ada', repo: 'engine' };
  await octokit.rest.repos.createForAuthenticatedUser({ name: 'engine', auto_init: true });
  const { file, line } = await sshKeygen('ed25519');
  await octokit.rest.users.createSshSigningKeyForAuthenticatedUser({ title: 'laptop', key: line });

  const work = join(await scratch(), 'engine');
  await git('/', 'clone', '--quiet', `${url.replace('://', `://x:${auth}@`)}/ada/engine.git`, work);
  const signs = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${file}`];
  await git(work, ...signs, 'commit', '--quiet', '--allow-empty', '-S', '-m', 'Signed');
  await git(work, 'commit', '--quiet', '--allow-empty', '-m', 'Not signed');
  await git(work, ...signs, 'tag', '-s', '-m', 'First release', 'v1', 'HEAD^');
  await git(work, 'push', '--quiet', 'origin', 'HEAD:main', 'v1');
  await settle();

  const { data: signed } = await octokit.rest.repos.getCommit({ ...engine, ref: 'main~1' });
  const valid = { verified: true, reason: 'valid', verified_at: '2026-01-01T00:00:00Z' };
  expect(signed.commit.verification).toMatchObject(valid);
  expect(signed.commit.verification?.signature).toMatch(/^-----BEGIN SSH SIGNATURE-----/);
  const { data: commits } = await octokit.rest.repos.listCommits(engine);
  expect(commits.map(({ commit }) => commit.verification?.reason)).toEqual(['unsigned', 'valid', 'unsigned']);
  const { data: ref } = await octokit.rest.git.getRef({ ...engine, ref: 'tags/v1' });
  const { data: tag } = await octokit.rest.git.getTag({ ...engine, tag_sha: ref.object.sha });
  expect(tag.verification).toMatchObject(valid);
});
