import { expect, test } from 'vitest';
import { countStatements } from '#database/client.ts';
import { replaceAdvisory, replaceFiles } from '#resources/security/dependency-alerts/advisory-store.ts';
import { readOsv } from '#resources/security/dependency-alerts/osv.ts';
import { advisoryOf } from '#test/resources/security/dependency-alerts/setting.ts';
import { world } from '#test/support/world.ts';

const here = await world({ vocabulary: 'github' });
const anybody = await here.as(undefined);

const store = (file: { id: string }) =>
  here.change(async (scope) => {
    const { advisory, vulnerabilities } = readOsv(JSON.stringify(file));
    await replaceAdvisory(scope.tx, advisory, vulnerabilities);
  });

const ids = ['GHSA-2222-2222-2222', 'GHSA-3333-3333-3333', 'GHSA-4444-4444-4444'];
await store(
  advisoryOf('GHSA-2222-2222-2222', 'left', '1.2.0', { published: '2026-01-01T00:00:00Z', aliases: ['CVE-2026-1111'] }),
);
await store(
  advisoryOf('GHSA-3333-3333-3333', '@scope/right', undefined, {
    published: '2026-01-02T00:00:00Z',
    modified: '2026-02-02T00:00:00Z',
    severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:L/AC:L/PR:N/UI:R/S:U/C:L/I:N/A:N' }],
    database_specific: { cwe_ids: ['CWE-79'] },
  }),
);
await store(
  advisoryOf('GHSA-4444-4444-4444', 'left', undefined, {
    published: '2026-01-03T00:00:00Z',
    withdrawn: '2026-01-04T00:00:00Z',
    affected: [{ package: { ecosystem: 'PyPI', name: 'Left_Pad' }, versions: ['1.0'] }],
  }),
);
await store(advisoryOf('MAL-2026-1', 'evil', undefined));

const listed = async (query: string) =>
  (await anybody.get(`/advisories?${query}`)).body.map(({ ghsa_id }: { ghsa_id: string }) => ghsa_id);
const [first = '', second = '', third = ''] = ids;

test('an advisory of a file has the public shape', async () => {
  expect((await anybody.get(`/advisories/${first}`)).body).toMatchObject({
    ghsa_id: first,
    cve_id: 'CVE-2026-1111',
    type: 'reviewed',
    severity: 'critical',
    repository_advisory_url: null,
    source_code_location: null,
    references: ['https://advisories.example/1'],
    github_reviewed_at: null,
    vulnerabilities: [
      { package: { ecosystem: 'npm', name: 'left' }, vulnerable_version_range: '< 1.2.0', first_patched_version: '1.2.0' },
    ],
    credits: [],
  });
  expect((await anybody.get('/advisories/GHSA-9999-9999-9999')).status).toBe(404);
});

test.each([
  ['', [third, second, first]],
  ['direction=asc', [first, second, third]],
  ['sort=updated', [second, third, first]],
  ['sort=epss_percentage&direction=asc', [first, second, third]],
  ['type=malware', ['MAL-2026-1']],
  ['type=unreviewed', []],
  [`ghsa_id=${first}`, [first]],
  ['cve_id=CVE-2026-1111', [first]],
  ['ecosystem=pip', [third]],
  ['ecosystem=swift', []],
  ['severity=low', [second]],
  ['severity=unknown', []],
  ['cwes=79,284', [second]],
  ['cwes[]=CWE-79', [second]],
  ['is_withdrawn=true', [third]],
  ['is_withdrawn=false', [second, first]],
  ['affects=left', [first]],
  ['affects=left@1.1.9,nothing', [first]],
  ['affects=left@1.2.0', []],
  ['affects[]=@scope/right&affects[]=left@1.0.0', [second, first]],
  ['affects=left-pad@1.0', [third]],
  ['published=2026-01-02', [second]],
  ['published=>=2026-01-02', [third, second]],
  ['updated=2026-02-01..2026-03-01', [second]],
  ['modified=2026-01-01..2026-01-01', [first]],
  ['epss_percentage=>0.5', []],
])('%s', async (query, expected) => {
  expect(await listed(query)).toEqual(expected);
});

test.each(['severity=bad', 'published=soon', 'cwes=x', 'epss_percentile=many', 'type=all', 'ecosystem=dos'])(
  '%s is refused',
  async (query) => {
    expect((await anybody.get(`/advisories?${query}`)).status).toBe(422);
  },
);

test('pages go on, and cost the same for one and many', async () => {
  const { body, headers } = await anybody.get('/advisories?per_page=2');
  expect(body).toHaveLength(2);
  const next = /<[^>]*\/api\/v3([^>]*)>; rel="next"/.exec(headers.link ?? '')?.[1] ?? '';
  expect((await anybody.get(next)).body).toMatchObject([{ ghsa_id: first }]);
  const who = await here.user();
  expect(await here.statements(who, '/advisories')).toBe(await here.statements(who, '/advisories?per_page=1'));
  expect(await here.statements(who, '/advisories')).toBeLessThanOrEqual(4);
});

test('nobody counts the advisories, on whatever page', async () => {
  const links = async (query: string) => {
    const ask = () => here.hearth.app.inject({ url: `/api/v3/advisories?${query}` });
    const { result, statements } = await countStatements(ask);
    expect(statements.filter((text) => text.includes('count('))).toEqual([]);
    const link = String(result.headers.link);
    return {
      rels: [...link.matchAll(/rel="(\w+)"/g)].map(([, rel]) => rel),
      next: /[?&](after=[^&>]+)[^>]*>; rel="next"/.exec(link)?.[1],
    };
  };
  const { rels, next } = await links('per_page=2');
  expect(rels).toEqual(['next']);
  expect((await links(`per_page=2&${next}`)).rels).toEqual(['prev']);
  expect(await listed('per_page=1&page=2')).toEqual([second]);
  expect((await links('per_page=1&page=2')).rels).toEqual(['prev', 'next']);
});

test('a file of the operator counts in the place of what a repository published under the same identifier', async () => {
  const owner = await here.user();
  const client = await here.as(owner);
  const repo = await here.repo(owner);
  const list = `/repos/${owner.login}/${repo.name}/security-advisories`;
  const { body } = await client.post(list, { summary: 'It breaks', description: 'Badly.', vulnerabilities: [] });
  const shown = async () => (await anybody.get(`/advisories/${body.ghsa_id}`)).body;
  await client.patch(`${list}/${body.ghsa_id}`, { state: 'published' });
  expect(await shown()).toMatchObject({ type: 'unreviewed', severity: 'unknown', summary: 'It breaks' });
  await here.change((scope) =>
    replaceFiles(scope.tx, [
      { path: `${body.ghsa_id}.json`, size: 1, modified_at: here.clock.now, identifier: body.ghsa_id, problem: null },
    ]),
  );
  await store(advisoryOf(body.ghsa_id, 'left', '1.2.0'));
  expect(await shown()).toMatchObject({ type: 'reviewed', summary: 'left breaks', repository_advisory_url: null });
  await client.patch(`${list}/${body.ghsa_id}`, { summary: 'It breaks soon' });
  expect(await shown()).toMatchObject({ type: 'reviewed', summary: 'left breaks' });
});
