import { expect, test } from 'vitest';
import { system } from '#lib/caller.ts';
import { isWorkflowPath } from '#workflow-files/file.ts';
import { parseWorkflowFile } from '#workflow-files/parse.ts';
import { permissionsOfJob } from '#workflow-files/permissions.ts';
import { fileForRunner } from '#workflow-files/runner-job.ts';

const parse = async (content: string) => parseWorkflowFile('.github/workflows/x.yml', content, system);

async function file(content: string) {
  const parsed = await parse(content);
  if (!('file' in parsed)) throw new Error(JSON.stringify(parsed.problems));
  return parsed.file;
}

test('what is wrong is told with its line', async () => {
  expect(await parse('on: push\njobs:\n  a:\n    runs-on: x\n    steps: [{rum: 1}]\n')).toMatchObject({
    problems: expect.arrayContaining([{ message: "Unexpected value 'rum'", line: 5 }]),
  });
  expect(
    await parse(
      'on: push\njobs:\n  a: {runs-on: x, needs: b, steps: [{run: x}]}\n  b: {runs-on: x, needs: a, steps: [{run: x}]}\n',
    ),
  ).toHaveProperty('problems');
  expect(await parse('on: [push\n  a: b')).toHaveProperty('problems');
  expect(await parse('')).toHaveProperty('problems');
  expect(await parse(`# ${'x'.repeat(600_000)}`)).toEqual({ problems: [{ message: 'The file has more than 512 KiB', line: 1 }] });
});

test.each([
  ['.github/workflows/ci.yml', true],
  ['.service/workflows/ci.yaml', true],
  ['.github/workflows/a/ci.yml', false],
  ['.github/workflows/ci.json', false],
  ['workflows/ci.yml', false],
])('%s is a workflow file: %s', (path, expected) => {
  expect(isWorkflowPath(path)).toBe(expected);
});

test('a runner gets the file of its job alone, its texts as they were written', async () => {
  const content =
    `name: CI\non: push\nenv: {A: "\${{ github.sha }}"}\njobs:\n  a:\n    needs: b\n    if: always()\n    runs-on: x\n` +
    '    strategy: {matrix: {os: [p, q]}}\n    steps:\n      - run: |\n          if true:\n' +
    `            echo \${{ matrix.os }}\n  b: {runs-on: x, steps: [{run: x}]}\n`;
  const given = { id: 'a', name: 'a (p)', combination: { os: 'p' }, labels: ['x'], timeoutMinutes: 5 };
  expect(JSON.parse(fileForRunner(await file(content), given) ?? '')).toEqual({
    name: 'CI',
    on: 'push',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of a workflow file
    env: { A: '${{ github.sha }}' },
    jobs: {
      a: {
        name: 'a (p)',
        'runs-on': ['x'],
        'timeout-minutes': 5,
        strategy: { matrix: { os: ['p'] } },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: as above
        steps: [{ run: 'if true:\n  echo ${{ matrix.os }}\n' }],
      },
    },
  });
});

test.each([
  ['', 'write', true, { contents: 'write', issues: 'write' }, 'none'],
  ['', 'read', true, { contents: 'read', issues: undefined }, 'none'],
  ['', 'write', false, { contents: 'read', issues: 'read' }, 'none'],
  ['permissions: {}', 'write', true, { contents: undefined }, 'none'],
  ['permissions: read-all', 'write', true, { contents: 'read', issues: 'read' }, 'none'],
  ['permissions: write-all', 'read', true, { contents: 'write' }, 'write'],
  ['permissions: {issues: write, id-token: write}', 'read', true, { issues: 'write', contents: undefined }, 'write'],
  ['permissions: {issues: write, id-token: write}', 'read', false, { issues: 'read' }, 'none'],
] as const)('%s, by default %s, may write %s', async (text, byDefault, mayWrite, token, identity) => {
  const parsed = await file(`on: push\n${text}\njobs:\n  a: {runs-on: x, steps: [{run: x}]}\n`);
  const found = permissionsOfJob(parsed, 'a', { byDefault, mayWrite });
  expect(found.token).toMatchObject({
    metadata: 'read',
    ...Object.fromEntries(Object.entries(token).filter(([, level]) => level)),
  });
  for (const [name, level] of Object.entries(token)) expect(found.token[name as 'contents']).toBe(level);
  expect(found.identity).toBe(identity);
});

test('what a job says replaces what its workflow says', async () => {
  const parsed = await file(
    'on: push\npermissions: write-all\njobs:\n  a: {permissions: {contents: read}, runs-on: x, steps: [{run: x}]}\n',
  );
  expect(permissionsOfJob(parsed, 'a', { byDefault: 'write', mayWrite: true }).token).toEqual({
    contents: 'read',
    metadata: 'read',
  });
});
