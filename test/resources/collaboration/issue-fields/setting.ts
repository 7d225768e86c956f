import type { World } from '#test/support/world.ts';

/** What makes a field of options. */
export const priority = {
  name: 'Priority',
  data_type: 'single_select',
  visibility: 'all',
  options: [
    { name: 'Low', color: 'gray', priority: 3 },
    { name: 'High', description: 'Before all else', color: 'red', priority: 1 },
    { name: 'Medium', color: 'blue', priority: 2 },
  ],
};

/** An organization with an owner, a member and somebody from outside. */
export async function setting(w: World) {
  const [owner, member, outsider] = [await w.user(), await w.user(), await w.user()];
  const acme = await w.org(owner);
  await w.member(acme, member);
  return { owner, member, outsider, acme, path: `/orgs/${acme.login}/issue-fields`, client: await w.as(owner) };
}

export const names = (fields: readonly { name: string }[]): string[] => fields.map(({ name }) => name);
