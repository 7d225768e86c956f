import type { CodeItem } from './schemas.ts';

/** Document 1, rule 10: the fields that newer API versions leave out of a code hit's repository. */
export function withoutClosingFields(body: unknown): unknown {
  const found = body as { items: CodeItem[] }; // the endpoint's own reply
  return {
    ...found,
    items: found.items.map((item) => ({
      ...item,
      repository: {
        ...item.repository,
        description: null,
        owner: { ...item.repository.owner, type: null, node_id: null },
      },
    })),
  };
}
