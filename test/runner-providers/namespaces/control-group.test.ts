import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findParentGroup, openControlGroup } from '#runner-providers/namespaces/control-group.ts';

/** A folder with the files of a control group that systemd has delegated. What the kernel makes of them isn't tested here. */
function delegated({ unit = 'hearth.service', controllers = 'cpuset cpu io memory pids' } = {}) {
  const root = mkdtempSync(join(tmpdir(), 'hearth-groups-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const [parent, own] = [join(root, unit), join(root, unit, 'server')];
  mkdirSync(own, { recursive: true });
  for (const [name, text] of Object.entries({ controllers: `${controllers}\n`, procs: '', subtree_control: '' }))
    writeFileSync(join(parent, `cgroup.${name}`), text);
  return { parent, own };
}

test('sandboxes get groups beside Hearth’s own one, in its unit', () => {
  const { parent, own } = delegated();
  expect(findParentGroup(own)).toBe(parent);
  expect(readFileSync(join(parent, 'cgroup.subtree_control'), 'utf8')).toBe('+cpu +memory +pids');
});

test.each([
  ['the group of the unit itself is not divided', delegated, ({ parent }: ReturnType<typeof delegated>) => parent],
  [
    'a group that is not of a unit is left alone',
    () => delegated({ unit: 'system.slice' }),
    ({ own }: ReturnType<typeof delegated>) => own,
  ],
  [
    'without the controllers there are none',
    () => delegated({ controllers: 'cpu pids' }),
    ({ own }: ReturnType<typeof delegated>) => own,
  ],
  ['without control groups, too', delegated, () => '/nowhere/hearth.service/server'],
  ['nor in a container', delegated, () => undefined],
])('%s', (_, make, own) => {
  const group = own(make());
  expect(group === undefined ? findParentGroup(undefined) : findParentGroup(group)).toBeUndefined();
});

test('a group has the limits of its machine, and what is started in it', () => {
  const { parent, own } = delegated();
  const path = join(parent, 'hearth-1-a');
  const group = openControlGroup(path, { cpuCores: 4, memoryGb: 16, storageGb: 1 }, own);
  const read = (file: string) => readFileSync(join(path, file), 'utf8');
  expect([read('memory.max'), read('memory.oom.group'), read('cpu.max'), read('pids.max')]).toEqual([
    String(16 * 2 ** 30),
    '1',
    '400000 100000',
    '4096',
  ]);
  group.enter();
  group.leave();
  expect([read('cgroup.procs'), readFileSync(join(own, 'cgroup.procs'), 'utf8')]).toEqual([`${process.pid}`, `${process.pid}`]);
  writeFileSync(join(path, 'memory.events'), 'low 0\noom 0\noom_kill 0\n');
  expect(group.ranOutOfMemory()).toBe(false);
  writeFileSync(join(path, 'memory.events'), 'low 0\noom 3\noom_kill 2\n');
  expect(group.ranOutOfMemory()).toBe(true);
});
