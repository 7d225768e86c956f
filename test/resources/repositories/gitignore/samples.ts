import { gitignoreTemplate } from '#resources/repositories/gitignore/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';

export const samples: Samples = new Map([[gitignoreTemplate, async () => ({ name: 'Node' })]]);
