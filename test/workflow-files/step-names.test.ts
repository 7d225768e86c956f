import { expect, test } from 'vitest';
import { budget, type Json, newBudget } from '#workflow-files/expressions.ts';
import type { Source } from '#workflow-files/file.ts';
import { namesOfSteps } from '#workflow-files/step-names.ts';

const contexts = {
  github: { ref_name: 'main' },
  matrix: { size: 'small' },
  strategy: { 'job-index': 1, 'job-total': 2 },
  secrets: { KEY: '***' },
  vars: { where: 'moon-base' },
  [budget]: newBudget(),
};
const mask = { hide: (text: string) => text.replaceAll('moon', '***') };
const around: readonly Source[] = [
  { env: { LEVEL: `\${{ env.Stage }}-job`, LATER: `\${{ steps.a.outputs.b }}`, BOTH: 'job' } },
  { env: { Stage: `\${{ matrix.size }} moon`, COUNT: 3, BOTH: 'workflow', KEY: `\${{ secrets.KEY }}` } },
];
const nameOf = (step: { [part: string]: Json }) => namesOfSteps([step], { contexts, around }, mask)[0];

test.each([
  [{ name: 'Make it' }, 'Make it'],
  [{ run: 'make\nmake test' }, 'Run make'],
  [{ uses: 'acme/tool@v1' }, 'Run acme/tool@v1'],
  [{ name: `Make \${{ matrix.size }} of \${{github.ref_name}}` }, 'Make small of main'],
  [{ run: `make \${{ matrix.size }}` }, 'Run make small'],
  [{ name: `\${{ format('{0} }}', matrix.size) }}!` }, 'small }!'],
  [{ name: `With \${{ secrets.KEY }} at \${{ vars.where }}` }, 'With *** at ***-base'],
  [{ name: 'Of moon' }, 'Of moon'],
  [{ name: `Use \${{ steps.a.outputs.b }} of \${{ matrix.size }}` }, `Use \${{ steps.a.outputs.b }} of small`],
  [{ name: `Hash \${{ hashFiles(matrix.size) }}` }, `Hash \${{ hashFiles(matrix.size) }}`],
  [
    { name: `\${{ env.LEVEL }} \${{ env.COUNT }} \${{ env.both }} \${{ env['STAGE'] }} \${{ env.KEY }}` },
    'small ***-job 3 job small *** ***',
  ],
  [{ name: `Own \${{ env.BOTH }}`, env: { BOTH: `step of \${{ env.STAGE }}` } }, 'Own step of small ***'],
  [{ name: `\${{ env.LATER }} \${{ env.NONE }} \${{ toJSON(env) }}` }, `\${{ env.LATER }} \${{ env.NONE }} \${{ toJSON(env) }}`],
  [{ name: `\${{ strategy.job-index }} of \${{ strategy.job-total }}` }, '1 of 2'],
  [{ name: `Without \${{ an end` }, `Without \${{ an end`],
  [{ name: `\${{ nonsense( }} \${{ matrix.size }}` }, `\${{ nonsense( }} small`],
])('the name of %o is %s', (step, name) => {
  expect(nameOf(step)).toBe(name);
});

test('a long name is cut, and only so many expressions are evaluated', () => {
  expect(nameOf({ name: `\${{ matrix.size }}`.padEnd(10_000, 'x') })).toMatch(/^smallx+$/);
  const names = namesOfSteps(
    Array.from({ length: 60 }, () => ({ name: `\${{ matrix.size }}` })),
    { contexts, around },
    mask,
  );
  expect(names.filter((name) => name === 'small')).toHaveLength(50);
});

test('values of variables that would be too large are not made', () => {
  const large = { env: { A: 'x'.repeat(100_000), B: `\${{ env.A }}`.repeat(1_000) } };
  const name = `\${{ env.B }}`;
  const all = { ...contexts, [budget]: newBudget() };
  expect(
    namesOfSteps([{ name }], { contexts: all, around: [{ env: { B: large.env.B } }, { env: { A: large.env.A } }] }, mask),
  ).toEqual([name]);
});
