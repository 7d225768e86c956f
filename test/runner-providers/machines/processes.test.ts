import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { isProcessRunning } from '#lib/running-process.ts';
import { isGroupRunning, killGroup } from '#runner-providers/machines/processes.ts';

test('a group runs until all that belongs to it has ended, not its leader alone', async () => {
  const shell = spawn('sh', ['-c', 'sleep 600 &'], { detached: true, stdio: 'ignore' });
  const leader = shell.pid ?? 0;
  await once(shell, 'exit');
  expect([isProcessRunning(leader), isGroupRunning(leader)]).toEqual([false, true]);
  killGroup(leader);
  await expect.poll(() => isGroupRunning(leader)).toBe(false);
  killGroup(leader); // nobody is left to hear it
});
