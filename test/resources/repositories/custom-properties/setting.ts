import type { World } from '#test/support/world.ts';

export const tier = { value_type: 'single_select', allowed_values: ['1', '2', '3'] };
export const areas = { value_type: 'multi_select', allowed_values: ['web', 'data', 'ops'] };

/** An organization with an owner, a member, somebody from outside, and a private repository. */
export async function setting(w: World) {
  const [owner, member, outsider] = [await w.user(), await w.user(), await w.user()];
  const acme = await w.org(owner);
  await w.member(acme, member);
  const engine = await w.repo(acme, { by: owner, visibility: 'private' });
  const client = await w.as(owner);
  const schema = `/orgs/${acme.login}/properties/schema`;
  return {
    ...{ owner, member, outsider, acme, engine, client, schema },
    /** The addresses of the values of all repositories, and of those of one. */
    all: `/orgs/${acme.login}/properties/values`,
    one: `/repos/${acme.login}/${engine.name}/properties/values`,
    /** Defines a property. */
    async define(name: string, property: object) {
      const { status, body } = await client.put(`${schema}/${name}`, property);
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body;
    },
  };
}

/** One value in a request, and in a reply. */
export const value = (property_name: string, value: unknown) => ({ property_name, value });
