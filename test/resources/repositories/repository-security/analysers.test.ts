import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readAnalysers } from '#resources/repositories/repository-security/analysers.ts';

async function read(text: string) {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-analysers-'));
  try {
    await writeFile(join(folder, 'analysers.json'), text);
    return await readAnalysers(join(folder, 'analysers.json'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

const workflow = 'acme/analysers/.github/workflows/bandit.yml@v1';

test('analysers are read by product and language; without a file there are none', async () => {
  const { code_scanning, code_quality } = await read(JSON.stringify({ code_scanning: { python: workflow } }));
  expect([...code_scanning]).toEqual([['python', workflow]]);
  expect([...code_quality]).toEqual([]);
  expect((await readAnalysers(undefined)).code_scanning.size).toBe(0);
});

test.each([
  ['', 'it is not a JSON object'],
  ['[]', 'it is not a JSON object'],
  ['{"scanning": {}}', "'scanning' is neither code_scanning nor code_quality"],
  ['{"code_scanning": "all"}', "'code_scanning' is not an object of languages"],
  [JSON.stringify({ code_scanning: { cobol: workflow } }), "code_scanning has no language 'cobol', only csharp"],
  [JSON.stringify({ code_quality: { swift: workflow } }), "code_quality has no language 'swift', only csharp"],
  ['{"code_scanning": {"go": 1}}', 'the analyser of go must be a workflow, as owner/repo/.github/workflows/file.yml@ref'],
  ['{"code_scanning": {"go": "acme/analysers/scan.yml@v1"}}', 'the analyser of go must be a workflow'],
  ['{"code_scanning": {"go": "acme/analysers/.github/workflows/scan.yml"}}', 'the analyser of go must be a workflow'],
  ['{"code_scanning": {"go": "./.github/workflows/scan.yml"}}', 'the analyser of go must be a workflow'],
])('the analysers %j are refused with the file and the problem', async (text, problem) => {
  const error = await read(text).catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ name: 'StartupError' });
  expect(String(error)).toMatch(/analysers\.json can't be used: /);
  expect(String(error)).toContain(problem);
});

test('a file that is not there is refused', async () => {
  await expect(readAnalysers('/none/analysers.json')).rejects.toThrow("can't be used: there is no such file");
});
