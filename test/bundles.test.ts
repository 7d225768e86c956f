// Functions take the scope alone (decision 66): no type of a bundle comes back, no bundle spelled at a call, no long handler.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = new URL('../src/resources', import.meta.url).pathname;
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8').replaceAll(/^[ \t]*(?:\/\/|\/?\*).*$/gm, '') }));

/** The types named `…Context` that stay, with what they have beside or in place of a scope. */
const contexts: Readonly<Record<string, string>> = {
  'actions/identity-tokens/keys.ts: KeyContext': 'Routes of the tokens have no scope.',
  'actions/job-uploads/rules.ts: UploadContext': 'Routes that receive blobs have no scope.',
  'actions/workflow-triggers/run-trigger.ts: TriggerContext': 'One event, with its repository and payload.',
  'code/commit-verification/rules.ts: VerificationContext': 'The Git of a push, whose objects are in quarantine.',
  'code/contents/read.ts: ReadContext': 'One commit, and how its files are shown.',
  'collaboration/releases/assets.ts: UploadContext': 'A change that locks the release.',
  'platform/migrations/import/context.ts: Context': 'What an import has made so far.',
  'platform/repository-imports/phases.ts: ImportContext': 'The source of an import, its progress, and the time as it passes.',
};

test('a type named Context is something else than a bundle of what a scope has', () => {
  const found = sources.flatMap(({ file, text }) =>
    [...text.matchAll(/^(?:export )?type (\w*Context)\b/gm)].map(([, name]) => `${file}: ${name}`),
  );
  expect(found.sort()).toEqual(Object.keys(contexts).sort());
});

/** A call whose first argument is an object literal. */
const call = /(?<!async )\b(\w+)\(\s*(\{[^{}]*\})\s*(?=,|\)(?!\s*(?:\{|:|=>)))/g;
const hasDatabase = /[{,]\s*(?:db|tx)\s*[,:}]/;
const opensScope = /^(?:openScope|scopeWithoutRequest|changeWithoutRequest)$/;
/** What has no scope: routes, path resources, indexers, and Git's objects in quarantine. */
const mostBundles = 18;

test('whoever has a scope hands it on, and spells no bundle with its database', () => {
  const found = sources.flatMap(({ file, text }) =>
    [...text.matchAll(call)]
      .filter(([, name = '', literal = '']) => hasDatabase.test(literal) && !opensScope.test(name))
      .map(([, name, literal]) => `${file}: ${name}(${literal})`),
  );
  expect(found.length, found.join('\n')).toBeLessThanOrEqual(mostBundles);
});

const mostLines = 8;
const mostLongHandlers = 18;

test('handlers have a few lines: what is a rule is in the rules', () => {
  const found = sources.flatMap(({ file, text }) =>
    [...text.matchAll(/^( +)async handle\([^\n]*\n([\s\S]*?)^\1\}/gm)]
      .filter(([, , body = '']) => body.split('\n').length - 1 > mostLines)
      .map(([handler]) => `${file}: ${handler.split('\n')[0]?.trim()}`),
  );
  expect(found.length, found.join('\n')).toBeLessThanOrEqual(mostLongHandlers);
});
