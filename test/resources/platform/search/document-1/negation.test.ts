import { beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { type QualifierSpec, qualifiers } from '#search/query/index.ts';
import { type Kind, kinds, namesOf, search, setting } from './setting.ts';

let ada: Account;
beforeAll(async () => {
  ({ ada } = await setting());
});

const texts: Record<string, string> = {
  path: 'src',
  extension: 'py',
  language: 'python',
  filename: 'widget',
  'author-name': 'Lovelace',
  'committer-name': 'Lovelace',
  'author-email': 'ada@example.org',
  'committer-email': 'ada@example.org',
};

/** Values of each type: some that hits have, and some that none has. */
function valuesFor(name: string, { value }: QualifierSpec): readonly string[] {
  switch (value.type) {
    case 'text':
      return [texts[name] ?? 'engine', '"not there"'];
    case 'words':
      return ['bug,absent', 'absent'];
    case 'number':
      return ['0', '1..*'];
    case 'date':
      return ['>2000-01-01', '2025-12-31..2026-01-02'];
    case 'flag':
      return ['true'];
    case 'choice':
      return value.of.map((choice) => `"${choice}"`);
    case 'login':
      return ['ada', 'acme'];
    case 'repository':
      return ['acme/engine'];
    case 'team':
      return ['acme/writers'];
    case 'issue':
      return ['acme/engine#1'];
    case 'hash':
      return ['0000'];
    // `in:` says where words are looked for, `sort:` in which order hits come: they choose none.
    case 'set':
    case 'sort':
      return [];
  }
}

const found = async (kind: Kind, q: string): Promise<string[]> => {
  const answer = await search(kind, q, { who: ada, more: '&per_page=100' });
  if (answer.status === 422) {
    // Whom nothing accessible belongs to.
    expect(answer.body.errors[0].message).toContain('cannot be searched');
    return [];
  }
  return namesOf(answer);
};

// A fork is looked into where it is asked for: `fork:` widens a search, and its opposite narrows none.
const widening = ['fork'];

describe.each(kinds)('negation: %s', (kind) => {
  const specs = Object.entries(qualifiers[kind]).filter(([name]) => !widening.includes(name));

  test.each(specs.map(([name, spec]) => [name, spec] as const))(
    '-%s: leaves out exactly what it finds without the sign',
    async (name, spec) => {
      const all = await found(kind, 'widget');
      expect(all.length).toBeGreaterThan(1);
      for (const value of valuesFor(name, spec)) {
        const [with_, without] = [await found(kind, `widget ${name}:${value}`), await found(kind, `widget -${name}:${value}`)];
        expect([...with_, ...without].toSorted(), `${name}:${value}`).toEqual(all.toSorted());
      }
    },
  );
});
