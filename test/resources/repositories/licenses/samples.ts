import { license } from '#resources/repositories/licenses/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';

export const samples: Samples = new Map([[license, async () => ({ license: 'mit' })]]);
