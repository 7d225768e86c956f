import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { differences, registerOf } from '#test/conformance/differences.ts';

const markOf = (index: number): string => join(inject('neededDifferences'), String(index));

/**
 * Whether a problem at a location is an intended difference. Needed ones are recorded for the end of the run: see
 * `global-setup.ts`.
 */
export const allowsDifference = registerOf(differences, (entry) => {
  const mark = markOf(differences.indexOf(entry));
  if (!existsSync(mark)) writeFileSync(mark, '');
}).allows;
