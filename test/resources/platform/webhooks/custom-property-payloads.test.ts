import { expect, test } from 'vitest';
import { heard, listening, parts } from './listening.ts';

const { here, owner, org, client, target } = await listening();
const schema = `/orgs/${org.login}/properties/schema`;

test('definitions and values of custom properties are told of', async () => {
  const engine = await here.repo(org, { by: owner });
  await heard(here, target);
  const { body: made } = await client.put(`${schema}/tier`, { value_type: 'single_select', allowed_values: ['1', '2'] });
  const { default_value: _, ...shown } = made;
  expect(await heard(here, target)).toMatchObject({ 'custom_property.created': { ...parts(org, owner), definition: shown } });
  const { body: changed } = await client.put(`${schema}/tier`, {
    ...{ value_type: 'single_select', allowed_values: ['1', '2'] },
    ...{ required: true, default_value: '2' },
  });
  expect(await heard(here, target)).toMatchObject({ 'custom_property.updated': { definition: changed } });
  await client.patch(`/orgs/${org.login}/properties/values`, {
    repository_names: [engine.name],
    properties: [{ property_name: 'tier', value: '1' }],
  });
  expect(await heard(here, target)).toMatchObject({
    'custom_property_values.updated': {
      ...parts(org, owner),
      repository: { name: engine.name },
      old_property_values: [{ property_name: 'tier', value: '2' }],
      new_property_values: [{ property_name: 'tier', value: '1' }],
    },
  });
  await client.delete(`${schema}/tier`);
  expect(await heard(here, target)).toMatchObject({ 'custom_property.deleted': { definition: { property_name: 'tier' } } });
});
