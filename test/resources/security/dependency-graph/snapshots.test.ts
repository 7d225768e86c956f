import { expect, test } from 'vitest';
import { commitFiles } from '#test/support/commit.ts';
import { world } from '#test/support/world.ts';

const w = await world();

test('a snapshot tells the dependencies of a commit, by its detector and in the place of the same job’s last one', async () => {
  const ada = await w.user();
  const repo = await w.repo(ada);
  const client = await w.as(ada);
  const path = `/repos/${ada.login}/${repo.name}/dependency-graph`;
  const sha = await commitFiles(w, repo, { 'README.md': 'An engine' });
  await w.settle();
  await client.put(`/repos/${ada.login}/${repo.name}/vulnerability-alerts`);
  const wanted = {
    version: 0,
    sha,
    ref: 'refs/heads/main',
    job: { id: '1', correlator: 'build' },
    detector: { name: 'bundler', version: '1.0', url: 'https://bundler.example' },
    scanned: '2026-01-01T00:00:00Z',
    manifests: { bundle: { name: 'bundle', resolved: { left: { package_url: 'pkg:npm/left@1.1.0' } } } },
  };
  const names = async () => {
    const { creationInfo, packages } = (await client.get(`${path}/sbom`)).body.sbom;
    return [...creationInfo.creators, ...packages.map(({ name }: { name: string }) => name)];
  };
  expect((await client.post(`${path}/snapshots`, wanted)).body).toMatchObject({ result: 'SUCCESS' });
  expect(await names()).toEqual(expect.arrayContaining(['Tool: bundler-1.0', 'left']));
  expect((await client.post(`${path}/snapshots`, { ...wanted, ref: 'refs/heads/topic' })).body.result).toBe('ACCEPTED');
  expect((await client.post(`${path}/snapshots`, { ...wanted, sha: '1'.repeat(40) })).status).toBe(422);
  await client.post(`${path}/snapshots`, { ...wanted, manifests: {} });
  expect(await names()).not.toContain('left');
});
