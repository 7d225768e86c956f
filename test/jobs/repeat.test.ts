import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repeatWhile, stepsOf } from '#jobs/repeat.ts';

test('steps end at the signal to stop, before the next one', async () => {
  const controller = new AbortController();
  const stopping = controller.signal;
  let done = 0;
  const step = async () => {
    if (++done === 3) controller.abort(new Error('stop'));
    return true;
  };
  await expect(repeatWhile({ stopping }, step)).rejects.toThrow('stop');
  expect(done).toBe(3);
  expect(() => [...stepsOf({ stopping }, [1])]).toThrow('stop');
  let rest = 3;
  await repeatWhile({}, async () => --rest > 0);
  expect([rest, [...stepsOf({}, [1, 2])]]).toEqual([0, [1, 2]]);
});

const root = join(import.meta.dirname, '../../src/resources');
/** A loop whose end isn't known when it begins. */
const loop = /^\s*(?:.*\s)?(?:while \(|for \(;;\)|for \([^;)]*; ; ?\)|do \{|for await \()/;

/** The loops of a file that don't look at the signal in their first lines. */
const blindLoops = (text: string): string[] => {
  const lines = text.split('\n').filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line));
  return lines.filter((line, at) => loop.test(line) && !/throwIfAborted/.test(lines.slice(at, at + 3).join('\n')));
};

test('no loop of a job goes on while the worker stops', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\/(?:[\w-]+-)?jobs?\.ts$/.test(name));
  expect(files.length).toBeGreaterThan(30);
  const found = files.flatMap((name) =>
    blindLoops(readFileSync(join(root, name), 'utf8')).map((line) => `${name}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
  for (const text of [
    'while (await x());',
    'for (;;) {',
    '  do {',
    'for (const a of b) while (c);',
    'for await (const a of b) {',
  ])
    expect(blindLoops(text)).toHaveLength(1);
});
