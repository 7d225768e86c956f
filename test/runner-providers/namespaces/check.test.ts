import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemCallFilter } from '#runner-providers/namespaces/seccomp.ts';
import { processProvider } from '#runner-providers/process/provider.ts';
import { noProvider } from '#runner-providers/provider.ts';
import { sandboxes, shellProgram } from './support.ts';

const cant = "The runner provider namespaces can't be used: ";

test('programs that are missing are named, with what to install', async () => {
  const { problem } = await sandboxes({ path: '/nowhere' });
  expect(problem).toBe(`${cant}bwrap is missing; install bubblewrap, or choose another HEARTH_RUNNER_PROVIDER`);
});

test('a program that others can’t execute is refused', async () => {
  const { problem } = await sandboxes({ program: '/nowhere/program' });
  expect(problem).toBe(`${cant}/nowhere/program is no program that everybody may read and execute (HEARTH_RUNNER_PROGRAM)`);
});

test('folders that jobs must not see can’t be where they would see them, by no way', async () => {
  const { folder } = await sandboxes();
  const [tools, data] = [join(folder, 'tools'), join(folder, 'tools', 'data')];
  await mkdir(data, { recursive: true });
  await symlink(data, join(folder, 'link'));
  const seen = (path: string) => `${cant}jobs could read ${path}, since it is in a folder that they see`;
  for (const hidden of [data, tools, join(folder, 'link'), '/usr/local'])
    expect((await sandboxes({ tools: [tools], hidden: ['/nowhere', hidden] })).problem).toContain(seen(hidden));
});

test('where no namespaces can be made, the reason is said, and what to do', async (context) => {
  const { problem } = await sandboxes();
  if (problem !== undefined) context.skip(problem);
  const failing = await shellProgram(
    '[ "$1" = --version ] && exit; echo "bwrap: No permissions to create new namespace" >&2; exit 1',
  );
  const path = join(failing, '..');
  await symlink('program', join(path, 'bwrap'));
  const { problem: found } = await sandboxes({ path: `${path}:${process.env.PATH}` });
  expect(found).toContain("namespaces can't be made here (bwrap: No permissions to create new namespace); allow unprivileged");
});

test('each provider says what it isolates', async () => {
  const { provider, problem } = await sandboxes({ network: 'hearth' });
  expect((await provider.check()).detail).toMatch(
    /^namespaces: jobs run as (users of their own|Hearth's user), with the network `hearth`; .+; disks are measured$/,
  );
  if (problem === undefined) expect((await provider.check()).warning).toBeUndefined();
  const open = await processProvider({ folder: '/nowhere', path: '' }).check();
  expect(open).toMatchObject({ warning: expect.stringContaining('the provider `process` isolates nothing') });
  expect(open.problem).toBeUndefined();
  expect(await noProvider.check()).toEqual({
    detail: 'none: no machines are made, and hosted runners stay `Stuck` (HEARTH_RUNNER_PROVIDER)',
  });
});

test('there is a filter of system calls for the processors that are known', () => {
  for (const architecture of ['x64', 'arm64']) {
    const [filter, fixing] = [false, true].map((fixesProcessors) => systemCallFilter(architecture, { fixesProcessors }));
    expect(fixing?.length).toBe((filter?.length ?? 0) + 16);
  }
  expect(() => systemCallFilter('s390x', { fixesProcessors: false })).toThrow('no filter of system calls for s390x');
});
