import { expect, test } from 'vitest';
import { system } from '#lib/caller.ts';
import { longestTurn } from '#test/support/time.ts';
import { parseWorkflowFile } from '#workflow-files/parse.ts';
import { nextRunOf } from '#workflow-files/schedule.ts';
import { isTriggered, type Trigger } from '#workflow-files/triggers.ts';

async function eventsOf(on: string) {
  const parsed = await parseWorkflowFile(
    '.github/workflows/x.yml',
    `on: ${on}\njobs:\n  a: {runs-on: x, steps: [{run: x}]}\n`,
    system,
  );
  if (!('file' in parsed)) throw new Error(JSON.stringify(parsed.problems));
  return parsed.file.events;
}

const changed = (...paths: string[]) => ({ changedPaths: async () => paths });

test.each<[string, Trigger, boolean]>([
  ['push', { event: 'push', branch: 'main' }, true],
  ['push', { event: 'push', tag: 'v1' }, true],
  ['[push, issues]', { event: 'issues', action: 'opened' }, true],
  ['push', { event: 'issues', action: 'opened' }, false],
  ['{push: {branches: [main]}}', { event: 'push', branch: 'main' }, true],
  ['{push: {branches: [main]}}', { event: 'push', branch: 'topic' }, false],
  ['{push: {branches: [main]}}', { event: 'push', tag: 'main' }, false],
  ['{push: {tags: [v*]}}', { event: 'push', tag: 'v1' }, true],
  ['{push: {tags: [v*]}}', { event: 'push', branch: 'v1' }, false],
  ['{push: {branches-ignore: [main]}}', { event: 'push', branch: 'main' }, false],
  ['{push: {branches-ignore: [main]}}', { event: 'push', branch: 'topic' }, true],
  ['{push: {paths: ["docs/**"]}}', { event: 'push', branch: 'main', ...changed('docs/a', 'src/b') }, true],
  ['{push: {paths: ["docs/**"]}}', { event: 'push', branch: 'main', ...changed('src/b') }, false],
  ['{push: {paths-ignore: ["docs/**"]}}', { event: 'push', branch: 'main', ...changed('docs/a') }, false],
  ['{push: {paths-ignore: ["docs/**"]}}', { event: 'push', branch: 'main', ...changed('docs/a', 'src/b') }, true],
  ['{push: {paths: ["docs/**"]}}', { event: 'push', branch: 'main', changedPaths: async () => undefined }, true],
  ['pull_request', { event: 'pull_request', action: 'opened', branch: 'main' }, true],
  ['pull_request', { event: 'pull_request', action: 'labeled', branch: 'main' }, false],
  ['{pull_request: {types: [labeled]}}', { event: 'pull_request', action: 'labeled', branch: 'main' }, true],
  ['{pull_request: {branches: [main]}}', { event: 'pull_request', action: 'opened', branch: 'old' }, false],
  ['{issues: {types: [opened]}}', { event: 'issues', action: 'closed' }, false],
  ['{workflow_run: {workflows: [CI]}}', { event: 'workflow_run', action: 'completed', workflow: 'CI', branch: 'main' }, true],
  [
    '{workflow_run: {workflows: [CI]}}',
    { event: 'workflow_run', action: 'completed', workflow: 'Deploy', branch: 'main' },
    false,
  ],
  ['{repository_dispatch: {types: [deployed]}}', { event: 'repository_dispatch', action: 'deployed' }, true],
])('on: %s is started by %o: %s', async (on, trigger, expected) => {
  expect(await isTriggered(await eventsOf(on), trigger)).toBe(expected);
});

test('schedules tell their next time, in their zone, five minutes apart at least', async () => {
  const after = new Date('2026-03-01T10:02:30Z');
  const next = async (on: string) => (await nextRunOf(await eventsOf(on), after))?.at.toISOString();
  expect(await next('{schedule: [{cron: "30 5 * * *"}, {cron: "0 12 * * *"}]}')).toBe('2026-03-01T12:00:00.000Z');
  expect(await next('{schedule: [{cron: "0 12 * * *", timezone: Europe/Berlin}]}')).toBe('2026-03-01T11:00:00.000Z');
  expect(await next('{schedule: [{cron: "* * * * *"}]}')).toBe('2026-03-01T10:05:00.000Z');
  expect(await next('{schedule: [{cron: "*/15 * * * *"}]}')).toBe('2026-03-01T10:15:00.000Z');
  expect(await next('{schedule: [{cron: "0 12 * * *", timezone: Nowhere/Land}]}')).toBeUndefined();
  expect(await next('push')).toBeUndefined();
});

test('many filters after each other let others run, though no file was changed or only one', async () => {
  const paths = Array.from({ length: 900 }, (_, at) => `**/a*/[a-z]+?*/**/p${at}*.t[sx]+${'?x'.repeat(20)}`);
  const trigger = (changed: string[]) => ({ event: 'push', branch: 'main', changedPaths: async () => changed });
  for (const changed of [[], ['README.md']]) {
    const measured: number[] = [];
    // A turn may have to collect the garbage of all tests before it, but not each time.
    do {
      const { longest } = await longestTurn(async () => {
        for (let at = 0; at < 20; at++) expect(await isTriggered({ push: { paths } }, trigger(changed))).toBe(false);
      });
      measured.push(longest);
    } while (Math.min(...measured) >= 100 && measured.length < 3);
    expect(Math.min(...measured)).toBeLessThan(100);
  }
});
