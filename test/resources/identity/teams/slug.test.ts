import { expect, test } from 'vitest';
import { slugOf } from '#resources/identity/teams/slug.ts';

test.each([
  ['Justice League', 'justice-league'],
  ['  Núcleo & Motoren!! ', 'nucleo-motoren'],
  ['core_team-2', 'core_team-2'],
  ['--a--', 'a'],
  ['日本', ''],
  ['', ''],
])('%o makes the slug %o', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});
