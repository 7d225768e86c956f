import { test } from 'vitest';
import { world } from '#test/support/world.ts';
import { takeChangeToMerge } from './pull-request-story.ts';

const w = await world({ vocabulary: 'github' });

test('two people and an app take a change from a fork to a merged pull request, in the public words', () =>
  takeChangeToMerge(w, { conforms: true }));
