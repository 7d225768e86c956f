import { expect, test } from 'vitest';
import { budget, newBudget } from '#workflow-files/expressions.ts';
import { namesOfSteps } from '#workflow-files/step-names.ts';

const contexts = {
  github: { ref_name: 'main' },
  matrix: { size: 'small' },
  secrets: { KEY: '***' },
  vars: { where: 'moon-base' },
  [budget]: newBudget(),
};
const mask = { hide: (text: string) => text.replaceAll('moon', '***') };
const nameOf = (step: { [part: string]: string }) => namesOfSteps([step], contexts, mask)[0];

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
  [{ name: `Without \${{ an end` }, `Without \${{ an end`],
  [{ name: `\${{ nonsense( }} \${{ matrix.size }}` }, `\${{ nonsense( }} small`],
])('the name of %o is %s', (step, name) => {
  expect(nameOf(step)).toBe(name);
});

test('a long name is cut, and only so many expressions are evaluated', () => {
  expect(nameOf({ name: `\${{ matrix.size }}`.padEnd(10_000, 'x') })).toMatch(/^smallx+$/);
  const names = namesOfSteps(
    Array.from({ length: 60 }, () => ({ name: `\${{ matrix.size }}` })),
    contexts,
    mask,
  );
  expect(names.filter((name) => name === 'small')).toHaveLength(50);
});
