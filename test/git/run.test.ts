import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { run } from '#git/process/run.ts';
import { kindOf, newStore } from './support.ts';

async function* blocks(count: number) {
  for (let block = 0; block < count; block++) yield Buffer.alloc(65_536, 'x');
}

test('git may answer before it has read its input', async () => {
  const { stdout } = await run({ store: await newStore() }, ['version'], { input: Readable.from(blocks(64)) });
  expect(stdout.toString()).toMatch(/^git version /);
});

test('git that refuses its input half-way is told of as having failed', async () => {
  const store = await newStore();
  expect(await kindOf(run({ store }, ['stripspace', '--no-such-option'], { input: Readable.from(blocks(64)) }))).toBe('failed');
});

test('an input that breaks off ends git', async () => {
  const input = Readable.from(
    (async function* () {
      yield* blocks(1);
      throw new Error('gone');
    })(),
  );
  expect(await kindOf(run({ store: await newStore() }, ['stripspace'], { input }))).toBe('aborted');
});

test('an input that is closed before it is whole ends git too', async () => {
  const input = new Readable({ read: () => undefined });
  input.push('half');
  setImmediate(() => input.destroy());
  expect(await kindOf(run({ store: await newStore() }, ['stripspace'], { input }))).toBe('aborted');
});
