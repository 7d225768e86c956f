import type { RepositoryRow } from '#access/viewer.ts';
import type { World } from '#test/support/world.ts';
import { priority, setting as withOrganization } from '../../issue-fields/setting.ts';

type Made = { id: number; name: string; options: { id: number; name: string; color: string; priority: number }[] };

/** An organization with a field of each type, and an issue in a repository of it. */
export async function setting(w: World, visibility: RepositoryRow['visibility'] = 'public') {
  const { path: fieldsPath, ...made } = await withOrganization(w);
  const { acme, owner, client } = made;
  const engine = await w.repo(acme, { visibility, by: owner });
  const place = `/repos/${acme.login}/${engine.name}`;
  await client.post(`${place}/issues`, { title: 'It stalls' });
  const field = async (wanted: object): Promise<Made> => (await client.post(fieldsPath, { visibility: 'all', ...wanted })).body;
  const fields = {
    priority: await field(priority),
    areas: await field({ ...priority, name: 'Areas', data_type: 'multi_select' }),
    note: await field({ name: 'Note', data_type: 'text' }),
    effort: await field({ name: 'Effort', data_type: 'number' }),
    due: await field({ name: 'Due', data_type: 'date' }),
    secret: await field({ name: 'Secret', data_type: 'text', visibility: 'organization_members_only' }),
  };
  const path = `${place}/issues/1/issue-field-values`;
  const set = (...values: [Made, unknown][]) =>
    client.post(path, { issue_field_values: values.map(([{ id }, value]) => ({ field_id: id, value })) });
  return { ...made, engine, place, fieldsPath, fields, path, set };
}

/** What of an issue's events is about fields: which, of which field, and the values. */
export const fieldEvents = (events: readonly { event: string; issue_field?: Record<string, unknown> }[]) =>
  events.flatMap(({ event, issue_field }) =>
    issue_field ? [[event, issue_field.name, issue_field.previous_value, issue_field.value]] : [],
  );
