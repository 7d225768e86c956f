import type { CodeItem } from './schemas.ts';

/** Document 1, rule 10: sets the fields of a code hit's repository to null that newer API versions don't have. */
export function withoutDeprecatedFields(body: unknown): unknown {
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
