import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { processUpload } from '#resources/security/code-scanning/process.ts';
import { addFile } from '#test/resources/code/commits/setting.ts';
import { tidyStore } from '#test/support/tidy-store.ts';
import { fresh, world } from '#test/support/world.ts';
import { codeql, packed } from './setting.ts';

const here = await world({ resourceLimits: { codeScanning: { unpackedSize: 3_000_000 } } });
const owner = await here.user();
const client = await here.as(owner);
const repo = await here.repo(owner, { name: fresh('engine') });
const base = `/repos/${owner.login}/${repo.name}`;
const { commit } = await addFile(client, base);

const unused = { rule: 'js/unused-local-variable', path: 'a.js', line: 1 };
const sending = { commit_sha: commit, ref: 'refs/heads/main' };
const send = (sarif: string, more = {}) => client.post(`${base}/code-scanning/sarifs`, { ...sending, sarif, ...more });
const run = codeql([]).runs[0];
const fileOf = (more: object) => ({ version: '2.1.0', runs: [{ ...run, ...more }] });
const resultAt = (more: object) => ({ ...codeql([unused]).runs[0]?.results[0], ...more });

/** What becomes of a file that is accepted. */
async function outcome(sarif: string, more = {}) {
  const { status, body } = await send(sarif, more);
  expect(status).toBe(202);
  await here.settle();
  return (await client.get(`${base}/code-scanning/sarifs/${body.id}`)).body;
}

test('what is no SARIF 2.1.0 is refused with its field, and nothing is kept', async () => {
  const nested = JSON.stringify(fileOf({ results: [] })).replace('"results":[]', `"x":${'['.repeat(100)}${']'.repeat(100)}`);
  await here.unchanged(['code_scanning_uploads'], async () => {
    for (const sarif of [
      'no Base64!',
      Buffer.from('{"version":"2.1.0","runs":[]}').toString('base64'),
      gzipSync('{"version":"2.1.0","runs":[]}').subarray(0, 20).toString('base64'),
      packed('no JSON'),
      packed(''),
      packed('[]'),
      packed({ version: '2.0.0', runs: [] }),
      packed({ runs: [] }),
      packed({ version: '2.1.0' }),
      packed({ version: '2.1.0', runs: {} }),
      packed({ version: '2.1.0', runs: [1] }),
      packed(fileOf({ results: {} })),
      packed(fileOf({ results: [resultAt({ locations: [] })] })),
      packed(fileOf({ results: [resultAt({ ruleId: '', rule: {} })] })),
      packed({ version: '2.1.0', runs: [run, run] }),
      packed({ version: '2.1.0', runs: Array.from({ length: 21 }, () => ({ ...run, tool: {} })) }),
      packed(nested),
    ]) {
      const { status, body } = await send(sarif);
      expect([status, body.errors?.[0]?.field], body.message).toEqual([400, 'sarif']);
    }
    const large = await send('A'.repeat(14_100_000));
    expect([large.status, large.body.errors[0].field]).toEqual([413, 'sarif']);
    for (const [field, more] of [
      ['commit_sha', { commit_sha: '1'.repeat(40) }],
      ['ref', { ref: 'refs/heads/none' }],
      ['ref', { ref: 'refs/pull/9/merge' }],
    ] as const) {
      const { status, body } = await send(packed(codeql([])), more);
      expect([status, body.errors[0].field]).toEqual([404, field]);
    }
    for (const more of [{ ref: 'main' }, { commit_sha: 'abc' }, { checkout_uri: 'no address' }, { started_at: 'today' }])
      expect((await send(packed(codeql([])), more)).status).toBe(422);
  });
  expect((await client.get(`${base}/code-scanning/sarifs/none`)).status).toBe(404);
});

test('a file whose end is wrong fails in the background, or at once where it is to be validated', async () => {
  const filler = Array.from({ length: 2_000 }, () => resultAt({ partialFingerprints: { primaryLocationLineHash: 'x:1' } }));
  const broken = packed(fileOf({ results: [...filler, 7] }));
  expect(await outcome(broken)).toEqual({
    processing_status: 'failed',
    analyses_url: null,
    errors: ['runs.results holds something that is no object'],
  });
  expect((await send(broken, { validate: true })).status).toBe(400);
  const bomb = gzipSync(`{"version":"2.1.0","runs":[],"x":"${'0'.repeat(20_000_000)}"}`).toString('base64');
  expect(bomb.length).toBeLessThan(100_000);
  expect((await outcome(bomb)).errors[0]).toContain('codeScanning.unpackedSize');
  const many = packed(
    JSON.stringify(fileOf({ results: [] })).replace('"results":[]', `"results":[${'{"kind":"pass"},'.repeat(26_000)}{}]`),
  );
  expect((await outcome(many)).errors).toEqual(['The file holds more than 25000 results in a run']);
  expect((await client.get(`${base}/code-scanning/alerts`)).body).toEqual([]);
});

test('a file that the server can’t process fails with the last attempt, and not before', async () => {
  const { id } = (await send(packed(codeql([])))).body;
  const state = async () => (await client.get(`${base}/code-scanning/sarifs/${id}`)).body;
  const { services } = here.hearth;
  const open = () => Promise.reject(new Error('The disk is gone'));
  const broken = { ...services, objects: { ...services.objects, open } };
  const row = await here.db.selectFrom('code_scanning_uploads').select('id').where('sarif_id', '=', id).executeTakeFirstOrThrow();
  const attempt = (isLastAttempt: boolean) =>
    processUpload.run({ upload: row.id }, here.jobContext({ services: broken, isLastAttempt }));
  await expect(attempt(false)).rejects.toThrow('The disk is gone');
  expect(await state()).toMatchObject({ processing_status: 'pending' });
  await expect(attempt(true)).rejects.toThrow('The disk is gone');
  expect(await state()).toMatchObject({ processing_status: 'failed', errors: [expect.stringContaining('Upload it again')] });
  await here.settle();
  expect(await state()).toMatchObject({ processing_status: 'failed' });
});

test('of many results, the most severe become alerts', async () => {
  const place = { locations: [{ physicalLocation: { artifactLocation: { uri: 'b.js' } } }] };
  const results = Array.from({ length: 5_001 }, (_, at) => ({
    ...place,
    ruleId: 'r',
    message: { text: 'm' },
    level: at === 5_000 ? 'error' : 'note',
    partialFingerprints: { primaryLocationLineHash: `${at}:1` },
  }));
  const sarif = packed({ version: '2.1.0', runs: [{ tool: { driver: { name: 'Many' } }, results }] });
  expect(await outcome(sarif)).toMatchObject({ processing_status: 'complete' });
  const { body: analyses } = await client.get(`${base}/code-scanning/analyses?tool_name=Many`);
  expect(analyses).toMatchObject([{ results_count: 5_001, warning: expect.stringContaining('5000') }]);
  expect((await client.get(`${base}/code-scanning/alerts?tool_name=Many&severity=error`)).body).toHaveLength(1);
  const { headers } = await client.get(`${base}/code-scanning/alerts?tool_name=Many&per_page=1`);
  expect(headers.link).toContain('page=5000>; rel="last"');
});

test('files stay as long as an analysis is left of them', async () => {
  const { id } = (await send(packed(codeql([{ ...unused, hash: 'k:1' }])))).body;
  await here.settle();
  const [analysis] = (await client.get(`${base}/code-scanning/analyses?sarif_id=${id}`)).body;
  const keyOf = () =>
    here.db.selectFrom('code_scanning_uploads').select('object_key').where('sarif_id', '=', id).executeTakeFirstOrThrow();
  const { object_key } = await keyOf();
  const { objects } = here.hearth.services;
  // As if files had been there for long.
  async function* listOld() {
    for await (const batch of objects.list()) yield batch.map((file) => ({ ...file, modified: new Date(0) }));
  }
  const services = { ...here.hearth.services, objects: { ...objects, list: listOld } };
  const tidy = () => tidyStore({ ...here, hearth: { ...here.hearth, services } });
  await tidy();
  const kept = await objects.open(object_key);
  expect(kept).toBeDefined();
  kept?.destroy();
  await client.delete(`${base}/code-scanning/analyses/${analysis.id}?confirm_delete=true`);
  await tidy();
  expect(await objects.open(object_key)).toBeUndefined();
});
